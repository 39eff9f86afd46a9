// How output is drawn: width, colours, characters, and the time for ages. All of render/ takes it
// as an argument, so that the same data gives the same text. Pure.

import { stateMarks } from '../platform/text/status-counts.ts';
import { formatAge } from '../text/format-age.ts';
import { safeText } from './safe-text.ts';

export interface View {
  readonly width: number;
  readonly color: boolean;
  readonly unicode: boolean;
  readonly nowMs: number;
}

export type Ink = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'dim' | 'bold';

const inkCodes: Readonly<Record<Ink, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
};

/** The text in a colour; unchanged without colours. The text must be safe already. */
export function paint(view: View, ink: Ink | null, text: string): string {
  if (!view.color || ink === null || text === '') return text;
  return `\x1b[${inkCodes[ink]}m${text}\x1b[0m`;
}

/** Foreign text, made safe for this view. */
export const sanitise = (view: View, text: string): string => safeText(text, view.unicode);

/** The mark at the end of a cut text. */
export const cutMark = (view: View): string => (view.unicode ? '…' : '...');

const stateInks: Readonly<Record<string, Ink>> = {
  error: 'red',
  waiting_approval: 'yellow',
  waiting_input: 'magenta',
  running: 'green',
  completed: 'blue',
};

/** The one-cell mark of a state, and its colour. */
export function markOf(view: View, state: string): { readonly mark: string; readonly ink: Ink } {
  const [wide, narrow] = stateMarks[state] ?? ['~', '~'];
  return { mark: view.unicode ? wide : narrow, ink: stateInks[state] ?? 'dim' };
}

/** The age of an ISO time; `-` where there is none. */
export function ageOf(view: View, at: string | null | undefined): string {
  const atMs = at == null ? Number.NaN : Date.parse(at);
  return Number.isNaN(atMs) ? '-' : formatAge(view.nowMs - atMs);
}
