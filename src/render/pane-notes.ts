// Short notes on a pane besides its state: the end of a usage limit, background work, how full the
// context is, the open request. Pure. They hold foreign text: `sanitise` them before printing.

import type { PaneItem } from '../schema/api/panes.ts';
import { counted } from '../text/counted.ts';
import type { View } from './view.ts';

const DAY_MS = 86_400_000;
/** Subagents that are named; the rest are counted. */
const CHILDREN_MAX = 8;

/** The agent's own title, and not that of its folder or its terminal. */
export const isOwnTitle = ({ title_quality: quality }: PaneItem): boolean =>
  quality === 'session' || quality === 'history';

/** What a pane is called: its name, and the agent's own title after it where there is one. */
export function titleText({ unicode }: Pick<View, 'unicode'>, pane: PaneItem): string {
  const { alias, title } = pane;
  if (alias === null) return title;
  return isOwnTitle(pane) ? `${alias} ${unicode ? '·' : '-'} ${title}` : alias;
}

/** The reason of a state, with the end of a limit; `stuck` comes before any reason. */
export function reasonText(view: View, pane: PaneItem): string | null {
  const { reason_code: reason, attention, until } = pane;
  if (attention.kinds.includes('stuck')) return 'stuck';
  if (reason === null) return null;
  const limit = until === null ? '' : ` until ${clockText(view, Date.parse(until))}`;
  return `${reason}${limit}`;
}

/** `14:30` in local time, with the date when it is more than a day away. */
export function clockText({ nowMs }: View, atMs: number): string {
  if (Number.isNaN(atMs)) return '?';
  const at = new Date(atMs);
  const two = (number: number): string => String(number).padStart(2, '0');
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (Math.abs(atMs - nowMs) < DAY_MS) return clock;
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock}`;
}

/** `2026-11-19 14:30:05` in local time: of a list that a person reads back over days. */
export function momentText(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '?';
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** `snoozed until 14:30`. */
export function snoozeNotes(view: View, { attention }: PaneItem): readonly string[] {
  const { snoozed_until: until } = attention;
  return until === null ? [] : [`snoozed until ${clockText(view, Date.parse(until))}`];
}

/** The names of the first subagents of an agent, and how many more there are. */
export function subagentNames({ activity: { subagents } }: PaneItem): readonly string[] {
  const names = subagents.slice(0, CHILDREN_MAX).map(({ id, kind }) => kind ?? id);
  const left = subagents.length - names.length;
  return left > 0 ? [...names, `${left} more`] : names;
}

/** `ctx 43%`, `2 bg`, `1 subagent`: what is known of the agent's work. */
export function workNotes(pane: PaneItem): readonly string[] {
  return [...backgroundNotes(pane), ...contextNote(pane.activity.usage)];
}

/** `2 bg`, `1 subagent`: what goes on beside the turn. */
export function backgroundNotes({ activity }: PaneItem): readonly string[] {
  const { background_count: shells, subagents } = activity;
  return [
    ...(subagents.length === 0 ? [] : [counted(subagents.length, 'subagent')]),
    ...(shells === 0 ? [] : [`${shells} bg`]),
  ];
}

function contextNote(usage: PaneItem['activity']['usage']): readonly string[] {
  const { context_used: used, context_max: max } = usage ?? {};
  if (used === undefined) return [];
  if (max === undefined || max <= 0) return [`ctx ${shortCount(used)}`];
  return [`ctx ${Math.round((100 * used) / max)}%`];
}

/** What was written last: at work the prompt that it works on, at rest the message of the agent. */
export function lastWords(pane: PaneItem): string {
  const { agent, state, activity, title } = pane;
  if (agent === null) return '';
  const words =
    state === 'running' ? activity.prompt : restful.has(state) ? activity.message : null;
  // Many titles are made of the prompt.
  return words === null || words.startsWith(title) || title.startsWith(words) ? '' : words;
}

const restful: ReadonlySet<string> = new Set(['completed', 'idle']);

/** Context and token usage in one line; empty when unknown. */
export function usageText({ activity: { usage } }: PaneItem): string {
  if (usage === null) return '';
  const { context_used: used, context_max: max, tokens } = usage;
  const share = used !== undefined && max ? ` of ${shortCount(max)}` : '';
  return [
    ...(used === undefined ? [] : [`context ${shortCount(used)}${share}`]),
    ...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
  ].join(', ');
}

/** `950`, `86k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

type OpenRequest = PaneItem['attention']['requests'][number];

/** What a request asks for, or how an agent ended. */
export function requestText({ detail, note }: OpenRequest): string {
  return [detail?.tool, detail?.command ?? detail?.file, detail?.text, note]
    .filter((each) => each !== undefined)
    .join(': ');
}

/** What a request is where nothing of it could be read: `sign-in menu`, `question`. */
export function requestName(kind: string, { reason_code: reason }: PaneItem): string {
  if (reason === 'auth_required') return 'sign-in menu';
  return reason === 'startup_dialog' ? 'menu at its start' : kind;
}

/** The sentence in the place of a question that could not be read. */
export const unreadText = (kind: string, pane: PaneItem): string =>
  `What this ${requestName(kind, pane)} of ${pane.agent ?? 'the agent'} says is on its screen.`;

/** What the agent asks a person; empty where it asks nothing. */
export function questionText({ attention }: PaneItem): string {
  return attention.requests
    .filter(({ kind }) => kind === 'approval' || kind === 'question')
    .map(requestText)
    .filter((text) => text !== '')
    .join('; ');
}

/** `1. Yes  2. No`, with a mark on the selected one; empty when unknown. */
export function optionsText({ detail }: OpenRequest): string {
  return (detail?.options ?? [])
    .map(({ label, selected }, index) => `${selected ? '>' : ''}${index + 1}. ${label}`)
    .join('  ');
}
