// Which row is selected, and where the selection goes: it stays with its pane while rows move, and
// goes to the neighbour when the pane is gone. Pure.

import type { Model } from './model.ts';
import { groupPanes, type ListRow, needsPerson, rowsOfGroups } from './rows.ts';

/** Every row that is shown, in order. */
export const visibleRows = (model: Model): readonly ListRow[] => rowsOfGroups(groupPanes(model));

export function selectedRow(model: Model): ListRow | null {
  return visibleRows(model).find(({ key }) => key === model.selected) ?? null;
}

/** After rows came, went or moved: the same row, or the one that stands in its place now. */
export function followSelection(model: Model, before: Model): Model {
  const rows = visibleRows(model);
  if (rows.some(({ key }) => key === model.selected)) return model;
  const index = visibleRows(before).findIndex(({ key }) => key === before.selected);
  const next = rows[Math.min(Math.max(0, index), rows.length - 1)];
  return { ...model, selected: next?.key ?? null };
}

/** The selection moved by so many rows; it stops at both ends. */
export function moveSelection(model: Model, by: number): Model {
  const rows = visibleRows(model);
  const index = rows.findIndex(({ key }) => key === model.selected);
  const to = Math.min(rows.length - 1, Math.max(0, (index < 0 ? 0 : index) + by));
  return { ...model, selected: rows[to]?.key ?? null };
}

/** The next row below that needs a person, from the top again after the last. */
export function selectNextNeedingPerson(model: Model): Model {
  const rows = visibleRows(model);
  const index = rows.findIndex(({ key }) => key === model.selected);
  const around = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
  const next = around.find(({ pane }) => needsPerson(pane));
  return next ? { ...model, selected: next.key } : model;
}
