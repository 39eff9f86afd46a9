// The selection: a row, or a collapsed section. It stays with its pane while rows move, and moves
// to the next row when the pane is gone. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';
import { needsPerson } from '../../text/need.ts';
import type { Model } from '../model.ts';
import { type ListRow, listSections, type Section } from './sections.ts';

/** What can be selected, in the order of the list. */
export type Stop =
  | { readonly key: string; readonly section: Section; readonly row: ListRow }
  | { readonly key: string; readonly section: Section; readonly row: null };

export const listStops = (model: Model): readonly Stop[] =>
  listSections(model).flatMap((section): readonly Stop[] =>
    section.isCollapsed
      ? [{ key: section.key, section, row: null }]
      : section.rows.map((row) => ({ key: row.key, section, row })),
  );

export const selectedStop = (model: Model): Stop | null =>
  listStops(model).find(({ key }) => key === model.selected) ?? null;

export const selectedRow = (model: Model): ListRow | null => selectedStop(model)?.row ?? null;

/** The pane that keys are about: the selected one, or the one whose question the inbox shows. */
export function focusedPane(model: Model): PaneItem | null {
  const { inbox, panes } = model;
  if (inbox === null) return selectedRow(model)?.pane ?? null;
  return inbox.shown && (panes.get(inbox.shown.pane.pane_key) ?? null);
}

/** Where a pane that has no such row any more is now: another row, or its collapsed section. */
function stopOf(paneKey: string, stops: readonly Stop[]): Stop | undefined {
  const isThat = ({ pane }: ListRow): boolean => pane.pane_key === paneKey;
  return (
    stops.find(({ row }) => row !== null && isThat(row)) ??
    stops.find(({ row, section }) => row === null && section.rows.some(isThat))
  );
}

/**
 * After rows changed: the same row; else its pane, so that no key acts on another one; else the
 * nearest row that is still there, lower ones first.
 */
export function followSelection(model: Model, before: Model): Model {
  const stops = listStops(model);
  if (model.isSelectionFree) return { ...model, selected: stops[0]?.key ?? null };
  const keys = new Set(stops.map(({ key }) => key));
  if (model.selected !== null && keys.has(model.selected)) return model;
  const earlier = listStops(before);
  const index = earlier.findIndex(({ key }) => key === before.selected);
  const paneKey = earlier[index]?.row?.pane.pane_key;
  const same = paneKey === undefined ? undefined : stopOf(paneKey, stops);
  if (same) return { ...model, selected: same.key };
  const nearest = [...earlier.slice(index + 1), ...earlier.slice(0, index + 1).toReversed()];
  const next = index < 0 ? undefined : nearest.find(({ key }) => keys.has(key));
  return { ...model, selected: (next ?? stops[0])?.key ?? null };
}

/** Moves the selection by a number of rows; it stops at both ends. */
export function moveSelection(model: Model, by: number): Model {
  const stops = listStops(model);
  const index = stops.findIndex(({ key }) => key === model.selected);
  const to = Math.min(stops.length - 1, Math.max(0, (index < 0 ? 0 : index) + by));
  return { ...model, selected: stops[to]?.key ?? null };
}

/** Selects the next row that needs a person; after the last row it continues at the top. */
export function selectNextNeedingPerson(model: Model): Model {
  const stops = listStops(model);
  const index = stops.findIndex(({ key }) => key === model.selected);
  const around = [...stops.slice(index + 1), ...stops.slice(0, index + 1)];
  const next = around.find(({ row }) => row !== null && needsPerson(row.pane));
  return next ? { ...model, selected: next.key } : model;
}

/** Rows that a digit jumps to. */
export const NUMBERED_ROWS = 9;

/** The rows of the digits 1 to 9: the first ones of the list. */
export const numberedRows = (model: Model): readonly ListRow[] =>
  listStops(model)
    .flatMap(({ row }) => (row === null ? [] : [row]))
    .slice(0, NUMBERED_ROWS);
