// The bytes from one frame to the next: only changed lines are written, inside one synchronized
// update, so that nothing flickers. Pure.

import type { OutputStyle } from '../model.ts';
import { lineBytes, lineWidth, type SpanLine } from './spans.ts';

const SYNC_ON = '\x1b[?2026h';
const SYNC_OFF = '\x1b[?2026l';
const CLEAR_SCREEN = '\x1b[0m\x1b[H\x1b[2J';
const CLEAR_TO_END = '\x1b[K';

/** Lines as they are on the terminal. */
export type Picture = readonly string[];

/** The bytes of every line. The rest of a short line is cleared. */
export const pictureOf = (
  lines: readonly SpanLine[],
  columns: number,
  { color, isLight }: Pick<OutputStyle, 'color' | 'isLight'>,
): Picture =>
  lines.map(
    (line) => lineBytes(line, color, isLight) + (lineWidth(line) < columns ? CLEAR_TO_END : ''),
  );

/** The bytes from one frame to the next; empty when equal. Null: the screen is unknown. */
export function frameBytes(before: Picture | null, next: Picture): string {
  const changed = next
    .map((line, index) => (before?.[index] === line ? '' : `\x1b[${index + 1};1H${line}`))
    .join('');
  const isSame = before !== null && changed === '';
  if (isSame) return '';
  return SYNC_ON + (before === null ? CLEAR_SCREEN : '') + changed + SYNC_OFF;
}
