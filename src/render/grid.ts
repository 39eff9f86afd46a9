// Lays rows out in columns that fit a width: the least important column shrinks first, then is
// dropped. Pure. Cells hold safe text; colours are added after cutting, so that no escape sequence
// is cut.

import { cutMark, type Ink, paint, type View } from './view.ts';
import { cutToWidth, padToWidth, textWidth } from './width.ts';

export interface Column {
  readonly title: string;
  /** 0 is the most important: it shrinks and is dropped last. */
  readonly rank: number;
  /** The least width; a column that cannot have it is dropped. */
  readonly min: number;
  /** The greatest width, even where there is room. */
  readonly max?: number;
  /** What is typed: never cut, and dropped last, unless one text alone is wider than the screen. */
  readonly isWhole?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly ink?: Ink | null;
  /** The text to use when the column cannot have its full width. */
  readonly short?: string;
}

/** The blanks between two columns. */
export const COLUMN_GAP = 2;

/** The widths of the columns that are kept, by position. Exported for its tests. */
export function fitColumns(
  columns: readonly Column[],
  naturals: readonly number[],
  width: number,
): ReadonlyMap<number, number> {
  const kept = columns.map((_, index) => index);
  for (;;) {
    const widths = new Map(kept.map((index) => [index, naturals[index] ?? 0]));
    let excess = total(widths) - width;
    const byRank = kept.toSorted((a, b) => (columns[b]?.rank ?? 0) - (columns[a]?.rank ?? 0));
    for (const index of byRank) {
      if (excess <= 0) break;
      const natural = widths.get(index) ?? 0;
      const min = leastWidth(columns[index], natural, width);
      const taken = Math.min(excess, Math.max(0, natural - min));
      widths.set(index, natural - taken);
      excess -= taken;
    }
    if (excess <= 0) return widths;
    if (kept.length <= 1) return new Map(kept.map((index) => [index, Math.max(0, width)]));
    const dropped = byRank.find((index) => !columns[index]?.isWhole) ?? byRank[0];
    kept.splice(kept.indexOf(dropped ?? 0), 1);
  }
}

/** The mark of a state stays beside the longest name. */
const leastWidth = (column: Column | undefined, natural: number, width: number): number =>
  column?.isWhole ? Math.min(natural, width - COLUMN_GAP - 1) : (column?.min ?? 0);

function total(widths: ReadonlyMap<number, number>): number {
  let sum = COLUMN_GAP * (widths.size - 1);
  for (const each of widths.values()) sum += each;
  return sum;
}

function naturalWidth(column: Column, index: number, rows: readonly (readonly Cell[])[]): number {
  const widest = rows.reduce(
    (most, row) => Math.max(most, textWidth(row[index]?.text ?? '')),
    textWidth(column.title),
  );
  return Math.min(widest, column.max ?? widest);
}

/** A heading and one line per row, at most as wide as the view. No newline at the end. */
export function renderGrid(
  view: View,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): string {
  const naturals = columns.map((column, index) => naturalWidth(column, index, rows));
  const widths = [...fitColumns(columns, naturals, view.width)];
  const heading = columns.map(({ title }): Cell => ({ text: title, short: '', ink: 'dim' }));
  return [heading, ...rows].map((row) => renderRow(view, row, widths)).join('\n');
}

function renderRow(
  view: View,
  row: readonly Cell[],
  widths: readonly (readonly [number, number])[],
): string {
  const parts = widths.map(([index, cells], position) => {
    const cell = row[index] ?? { text: '' };
    const fits = textWidth(cell.text) <= cells;
    const chosen = (fits || cell.short === undefined ? cell.text : cell.short).trimEnd();
    const cut = cutToWidth(chosen, cells, cells > 3 || view.unicode ? cutMark(view) : '');
    const isLast = position === widths.length - 1;
    const spaces = isLast ? '' : padToWidth(cut, cells).slice(cut.length);
    return paint(view, cell.ink ?? null, cut) + spaces;
  });
  return parts.join(' '.repeat(COLUMN_GAP)).trimEnd();
}
