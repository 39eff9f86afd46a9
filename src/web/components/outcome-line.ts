// What came of an action, in one line that is also read aloud.

import { html, nothing, type TemplateResult } from 'lit';
import { safeText } from '../../render/safe-text.ts';
import type { OutcomeWords } from '../state/action-words.ts';
import { icon } from './icons.ts';

const classes = { good: 'mood-running', open: 'mood-approval', bad: 'mood-error' } as const;
const icons = { good: 'check', open: 'unknown', bad: 'error' } as const;

/** Has its place also while there is none, so that nothing moves when it comes. */
export const outcomeLine = (outcome: OutcomeWords | null): TemplateResult => html`<p
  class="outcome ${outcome ? classes[outcome.mood] : 'none'}"
  role="status"
  style="display:flex;gap:6px;align-items:center;min-height:20px;font-size:var(--tiny)"
>
  ${
    outcome === null
      ? nothing
      : html`<span style="display:flex;gap:4px;align-items:center;color:var(--mood);font-weight:600"
            >${icon(icons[outcome.mood])}${outcome.word}</span
          ><span style="overflow-wrap:anywhere">${safeText(outcome.text)}</span>`
  }
</p>`;
