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
  /** What is typed: a text wider than its column goes on, and the rest of its row gives way. */
  readonly isWhole?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly ink?: Ink | null;
  /** The text to use when the column cannot have its full width. */
  readonly short?: string;
}

const GAP = 2;

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
    kept.splice(kept.indexOf(byRank[0] ?? 0), 1);
  }
}

/** Names have up to half of the line, so that few of them go on over the columns beside them. */
const leastWidth = (column: Column | undefined, natural: number, width: number): number =>
  column?.isWhole ? Math.min(natural, Math.floor(width / 2)) : (column?.min ?? 0);

function total(widths: ReadonlyMap<number, number>): number {
  let sum = GAP * (widths.size - 1);
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
  const kept = widths.map(([index, width]) => ({ index, width, column: columns[index] }));
  return [heading, ...rows].map((row) => renderRow(view, row, kept)).join('\n');
}

interface KeptColumn {
  readonly index: number;
  readonly width: number;
  readonly column: Column | undefined;
}

function renderRow(view: View, row: readonly Cell[], kept: readonly KeptColumn[]): string {
  let left = view.width;
  let line = '';
  for (const { index, width, column } of kept) {
    const gap = line === '' ? 0 : GAP;
    const cell = row[index] ?? { text: '' };
    const natural = textWidth(cell.text);
    const cells = Math.min(left - gap, column?.isWhole ? Math.max(width, natural) : width);
    if (cells < 1) break;
    const chosen = (
      natural <= cells || cell.short === undefined ? cell.text : cell.short
    ).trimEnd();
    const cut = cutToWidth(chosen, cells, cells > 3 || view.unicode ? cutMark(view) : '');
    line += ' '.repeat(gap) + paint(view, cell.ink ?? null, cut);
    line += padToWidth(cut, cells).slice(cut.length);
    left -= gap + cells;
  }
  return line.trimEnd();
}
