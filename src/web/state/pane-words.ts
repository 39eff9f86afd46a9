// How a pane is shown: its mood (what decides colour and icon), its words, its age. The words are
// those of the live view and the command line. Pure.

import { isOwnTitle, requestText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import type { View } from '../../render/view.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { formatAge } from '../../text/format-age.ts';
import { type NeedKind, needOf } from '../../text/need.ts';

/** What a pane is coloured by, and its icon; always beside its word. */
export type Mood = NeedKind | 'running' | 'completed' | 'idle' | 'unknown' | 'none';

export function moodOf(pane: PaneItem): Mood {
  const need = needOf(pane);
  if (need !== null) return need;
  if (pane.agent === null) return 'none';
  return moodOfState(pane.state);
}

export function moodOfState(state: string): Mood {
  switch (state) {
    case 'waiting_approval':
      return 'approval';
    case 'waiting_input':
      return 'question';
    case 'error':
    case 'running':
    case 'completed':
    case 'idle':
      return state;
    default:
      return 'unknown';
  }
}

/** `waiting approval`: the words of states, as one reads them. */
export const stateWord = (state: string): string => state.replaceAll('_', ' ');

/** The state in words; what the pane needs a person for comes first. */
export function paneStateWords(pane: PaneItem): string {
  const { agent, state, attention } = pane;
  if (attention.kinds.includes('crash')) return 'crashed';
  if (agent === null) return 'no agent';
  return attention.kinds.includes('stuck') ? 'stuck' : stateWord(state);
}

/** Since when it is so; of what needs a person, since when it does. */
export const shownSince = (pane: PaneItem): string =>
  needOf(pane) === null ? pane.since : (pane.attention.since ?? pane.since);

/** `3m`; empty where the time is none. */
export function ageText(at: string | null, nowMs: number): string {
  const atMs = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(atMs) ? '' : formatAge(nowMs - atMs);
}

/** `3 minutes ago`, for who hears the page read. */
export function spokenAge(at: string, nowMs: number): string {
  const text = ageText(at, nowMs);
  const units: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };
  const count = Number.parseInt(text, 10);
  const unit = units[text.slice(-1)] ?? '';
  return text === '' ? '' : `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What tells the pane apart: its name, else its place in tmux. One safe line. */
export function paneName(pane: PaneItem): string {
  const alias = safeText(pane.alias ?? '');
  if (alias !== '') return alias;
  if (pane.identity !== null) return panePlace(pane);
  return safeText(pane.title) || safeText(pane.current_cmd) || pane.pane_key;
}

/** What it is about, which others may be about too: the title of the agent, else its folder. */
export function paneAbout(pane: PaneItem): string {
  const { alias, identity, title } = pane;
  if (identity === null && alias === null) return '';
  return alias === null || isOwnTitle(pane) ? safeText(title) : '';
}

/** Its place, where that is not its name already. */
export const paneOtherPlace = (pane: PaneItem): string =>
  pane.alias === null && pane.identity !== null ? '' : panePlace(pane);

/** `vm1/work:0.1`; this machine is not named. */
export function panePlace({ identity, target }: PaneItem): string {
  if (identity === null) return `${target}, without a pane`;
  const { session_name, window_index, pane_index } = identity;
  const place = `${safeText(session_name)}:${window_index}.${pane_index}`;
  return target === 'local' ? place : `${safeText(target)}/${place}`;
}

/** What the agent asks or how it ended, in one line; empty where it needs nobody. */
export function needText(pane: PaneItem): string {
  if (needOf(pane) === null) return '';
  const texts = pane.attention.requests.map(requestText).filter((text) => text !== '');
  return safeText(texts.join('; '));
}

/** How a time is drawn in a list of this page. */
export const pageView = (nowMs: number): View => ({
  ...{ width: 120, color: false, unicode: true },
  nowMs,
});
