// The selected row. The selection stays with its pane while rows move, and moves to the next row
// when the pane is gone. Pure.

import type { Model } from '../model.ts';
import { groupPanes, type ListRow, needsPerson, rowsOfGroups } from './rows.ts';

/** Every row of the list, in order. */
export const visibleRows = (model: Model): readonly ListRow[] => rowsOfGroups(groupPanes(model));

export function selectedRow(model: Model): ListRow | null {
  return visibleRows(model).find(({ key }) => key === model.selected) ?? null;
}

/** After rows changed: the same row, or the one that is now in its position. */
export function followSelection(model: Model, before: Model): Model {
  const rows = visibleRows(model);
  if (rows.some(({ key }) => key === model.selected)) return model;
  const index = visibleRows(before).findIndex(({ key }) => key === before.selected);
  const next = rows[Math.min(Math.max(0, index), rows.length - 1)];
  return { ...model, selected: next?.key ?? null };
}

/** Moves the selection by a number of rows; it stops at both ends. */
export function moveSelection(model: Model, by: number): Model {
  const rows = visibleRows(model);
  const index = rows.findIndex(({ key }) => key === model.selected);
  const to = Math.min(rows.length - 1, Math.max(0, (index < 0 ? 0 : index) + by));
  return { ...model, selected: rows[to]?.key ?? null };
}

/** Selects the next row that needs a person; after the last row it continues at the top. */
export function selectNextNeedingPerson(model: Model): Model {
  const rows = visibleRows(model);
  const index = rows.findIndex(({ key }) => key === model.selected);
  const around = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
  const next = around.find(({ pane }) => needsPerson(pane));
  return next ? { ...model, selected: next.key } : model;
}
