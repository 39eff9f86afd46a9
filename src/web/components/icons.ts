// The icons of the page, drawn by us on a grid of 16. They are beside a word always, so that nobody
// has to know them.

import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import type { Mood } from '../state/pane-words.ts';

const frame = (body: SVGTemplateResult): TemplateResult => html`<svg
  width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor"
  stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"
>${body}</svg>`;

const icons = {
  approval: svg`<path d="M8 1.6 13.4 3.6v4c0 3.4-2.2 5.6-5.4 6.8C4.8 13.2 2.6 11 2.6 7.6v-4Z" />
    <path d="M8 4.9v3.5M8 10.7v.1" />`,
  question: svg`<path d="M14 7.3c0 3-2.7 5.2-6 5.2-.8 0-1.5-.1-2.2-.3L2.6 13.6l.8-2.7C2.5 10
    2 8.7 2 7.3 2 4.4 4.7 2 8 2s6 2.4 6 5.3Z" />
    <path d="M6.5 6a1.6 1.6 0 1 1 2.2 1.5c-.5.2-.7.5-.7 1M8 10v.1" />`,
  error: svg`<path d="M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3Z" />
    <path d="m6 6 4 4M10 6l-4 4" />`,
  crash: svg`<path d="M9.2 1.5 3.5 9h4l-.7 5.5L12.5 7h-4Z" />`,
  stuck: svg`<path d="M4 2h8M4 14h8M5 2c0 3 6 4 6 6s-6 3-6 6M11 2c0 3-6 4-6 6s6 3 6 6" />`,
  running: svg`<g class="turns"><path d="M8 1.8a6.2 6.2 0 1 1-6.2 6.2" /></g>
    <path d="m6.7 5.7 3.4 2.3-3.4 2.3Z" fill="currentColor" stroke-width="1" />`,
  completed: svg`<circle cx="8" cy="8" r="6.2" /><path d="m5.3 8.2 1.9 1.9 3.6-4" />`,
  idle: svg`<circle cx="8" cy="8" r="6.2" /><path d="M6.4 6v4M9.6 6v4" />`,
  unknown: svg`<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.6 2.6" />
    <path d="M6.6 6.5a1.5 1.5 0 1 1 2 1.4c-.4.2-.6.4-.6.9M8 10.6v.1" />`,
  none: svg`<path d="M2 3.5h12v9H2Z" /><path d="m4.5 6.5 1.8 1.5-1.8 1.5M8 9.8h3" />`,
  back: svg`<path d="M10 3 5 8l5 5" />`,
  search: svg`<circle cx="7" cy="7" r="4.6" /><path d="m10.5 10.5 3.5 3.5" />`,
  send: svg`<path d="M14 2 7.2 8.8M14 2 9.8 14 7.2 8.8 2 6.2Z" />`,
  fleet: svg`<path d="M2.5 4h11M2.5 8h11M2.5 12h7" />`,
  inbox: svg`<path d="M2 9.5 4 3h8l2 6.5v3.5H2Z" /><path d="M2 9.5h3.5L6.5 11h3l1-1.5H14" />`,
  many: svg`<path d="M2 4.5 8 2l6 2.5L8 7Z" /><path d="m2 8 6 2.5L14 8M2 11.5 8 14l6-2.5" />`,
  settings: svg`<path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6" />
    <circle cx="10" cy="4.5" r="1.8" /><circle cx="6" cy="11.5" r="1.8" />`,
  help: svg`<circle cx="8" cy="8" r="6.2" />
    <path d="M6.4 6.3a1.6 1.6 0 1 1 2.2 1.5c-.5.2-.6.5-.6 1M8 11v.1" />`,
  theme: svg`<circle cx="8" cy="8" r="6.2" /><path d="M8 1.8a6.2 6.2 0 0 1 0 12.4Z"
    fill="currentColor" />`,
  close: svg`<path d="m4 4 8 8M12 4l-8 8" />`,
  stop: svg`<path d="M4 4h8v8H4Z" />`,
  kill: svg`<path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5" />`,
  snooze: svg`<circle cx="8" cy="8.5" r="5.5" /><path d="M8 5.5v3l2 1.5M2 3.5 4 2M14 3.5 12 2" />`,
  more: svg`<path d="M3.5 8h.1M8 8h.1M12.5 8h.1" stroke-width="2.4" />`,
  attach: svg`<path d="m13 7-5.4 5.4a3 3 0 0 1-4.2-4.2L9 2.6a2 2 0 0 1 2.8 2.8L6.4 11a1 1 0 0
    1-1.4-1.4L10 4.7" />`,
  messages: svg`<path d="M2 3.5h12v8H7l-3 2.5v-2.5H2Z" /><path d="M5 6.3h6M5 8.8h4" />`,
  teams: svg`<circle cx="8" cy="4" r="2" /><circle cx="3.5" cy="11.5" r="1.8" />
    <circle cx="12.5" cy="11.5" r="1.8" /><path d="M7 6 4.5 9.8M9 6l2.5 3.8M5.5 11.5h5" />`,
  link: svg`<path d="M2 8h3l1.5-4 3 8L11 8h3" />`,
  down: svg`<path d="m4 6 4 4 4-4" />`,
  check: svg`<path d="m3 8.5 3.2 3.2L13 5" />`,
} as const;

export type IconName = keyof typeof icons;

export const icon = (name: IconName): TemplateResult => frame(icons[name]);

export const moodIcon = (mood: Mood): TemplateResult => icon(mood);
