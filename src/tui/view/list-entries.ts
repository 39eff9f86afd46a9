// The list as lines: headings, rows and the questions below rows; and which of them are visible.
// Pure. The pages draw them and the mouse finds them by these positions.

import type { Model } from '../model.ts';
import { type ListRow, listSections, type Section } from '../rows/sections.ts';
import { layoutScreen, modelView } from './layout.ts';
import { questionOf } from './row-line.ts';

export type ListEntry =
  | { readonly kind: 'heading'; readonly section: Section }
  | { readonly kind: 'row'; readonly row: ListRow; readonly hasQuestion: boolean }
  | { readonly kind: 'question'; readonly row: ListRow; readonly text: string };

/** Every line of the list. */
export function listEntries(model: Model): readonly ListEntry[] {
  return listSections(model).flatMap((section): readonly ListEntry[] => {
    const heading: ListEntry = { kind: 'heading', section };
    if (section.isCollapsed) return [heading];
    return [heading, ...section.rows.flatMap((row) => rowEntries(model, section, row))];
  });
}

function rowEntries(model: Model, section: Section, row: ListRow): readonly ListEntry[] {
  const view = modelView(model, 0);
  const text = section.kind === 'needs' ? questionOf(view, row.pane) : null;
  if (text === null) return [{ kind: 'row', row, hasQuestion: false }];
  return [
    { kind: 'row', row, hasQuestion: true },
    { kind: 'question', row, text },
  ];
}

/** The key that selects the entry; null for the heading of an open section. */
export function stopKey(entry: ListEntry): string | null {
  if (entry.kind !== 'heading') return entry.row.key;
  return entry.section.isCollapsed ? entry.section.key : null;
}

const listRows = (model: Model): number => {
  const layout = layoutScreen(model);
  return layout.kind === 'small' ? 0 : layout.list.rows;
};

const clampTop = (top: number, lines: number, rows: number): number =>
  Math.max(0, Math.min(top, lines - rows));

/** The first visible line, within the list. */
export const visibleTop = (model: Model, entries: readonly ListEntry[]): number =>
  clampTop(model.top, entries.length, listRows(model));

/** The lines of the selected row: with its question, and the heading where it is the first row. */
function selectedLines(model: Model, entries: readonly ListEntry[]) {
  const isSelected = (entry: ListEntry): boolean => stopKey(entry) === model.selected;
  const first = entries.findIndex(isSelected);
  const last = entries.findLastIndex(isSelected);
  const hasHeading = entries[first - 1]?.kind === 'heading';
  return { first: hasHeading ? first - 1 : first, last };
}

/** Scrolls as little as needed to show the selected row. */
export function scrollToSelection(model: Model): Model {
  const entries = listEntries(model);
  const rows = listRows(model);
  const { first, last } = selectedLines(model, entries);
  if (last < 0) return { ...model, top: clampTop(model.top, entries.length, rows) };
  const shown = Math.min(Math.max(model.top, last - rows + 1), first);
  // Where the row does not fit with heading and question, its own line wins.
  const top = clampTop(Math.max(shown, last - rows), entries.length, rows);
  return top === model.top ? model : { ...model, top };
}

/** Scrolls by some lines and leaves the selection where it is. */
export function scrollList(model: Model, by: number): Model {
  const entries = listEntries(model);
  const top = clampTop(visibleTop(model, entries) + by, entries.length, listRows(model));
  return { ...model, top };
}

/** Whether the selected row is on the screen. */
export function isSelectionVisible(model: Model): boolean {
  const entries = listEntries(model);
  const top = visibleTop(model, entries);
  const { first, last } = selectedLines(model, entries);
  return last >= top && first < top + listRows(model);
}

/** The entry at a position on the terminal; null where there is none. */
export function entryAt(model: Model, column: number, row: number): ListEntry | null {
  const layout = layoutScreen(model);
  if (layout.kind === 'small' || column >= layout.list.columns) return null;
  const line = row - 1;
  if (line < 0 || line >= layout.list.rows) return null;
  const entries = listEntries(model);
  return entries[visibleTop(model, entries) + line] ?? null;
}
