// Writes the changes of a batch into their tables. What is written often (panes, runtimes, cursors,
// rows) is collapsed first: only the last value of a key in the batch reaches its table.

import type { DatabaseSync } from 'node:sqlite';
import type { Change, RuntimeRow } from '../schema/change.ts';
import type { PaneKey, RuntimeId } from '../schema/ids.ts';
import { type ChangeOf, prepareFrequentWriters } from './tables/frequent.ts';
import { prepareRareWriter } from './tables/rare.ts';
import { prepareStateWriter } from './tables/states.ts';

// The length keeps `a` + `b c` apart from `a b` + `c`.
const cursorKeyOf = ({ source, runtimeId }: ChangeOf<'cursor'>): string =>
  `${source.length} ${source} ${runtimeId}`;

// Its row in `states` goes with it. A runtime without an end (its whole target was removed) ends
// with its pane: it could never end otherwise, and a pane that comes back counts its epochs again.
function preparePaneRemoval(db: DatabaseSync): (paneKey: PaneKey) => void {
  const endRuntimes = db.prepare(
    `UPDATE runtimes SET end_reason = 'pane_forgotten',
      ended_at = (SELECT updated_at FROM panes WHERE pane_key = ?1)
      WHERE pane_key = ?1 AND ended_at IS NULL`,
  );
  const remove = db.prepare('DELETE FROM panes WHERE pane_key = ?');
  return (paneKey) => {
    endRuntimes.run(paneKey);
    remove.run(paneKey);
  };
}

/** Writes all changes, in order where order matters. Runs inside the batch's transaction. */
export type ChangeWriter = (changes: readonly Change[]) => void;

export function prepareChangeWriter(db: DatabaseSync): ChangeWriter {
  const frequent = prepareFrequentWriters(db);
  const states = prepareStateWriter(db);
  const writeRare = prepareRareWriter(db);
  const forgetPane = preparePaneRemoval(db);

  const panes = new Map<PaneKey, ChangeOf<'pane'>>();
  const runtimes = new Map<RuntimeId, RuntimeRow>();
  const cursors = new Map<string, ChangeOf<'cursor'>>();

  const reset = (): void => {
    panes.clear();
    runtimes.clear();
    cursors.clear();
    states.reset();
  };

  // A row reads its pane and its cursor, so these come first.
  const flush = (): void => {
    for (const pane of panes.values()) frequent.pane(pane);
    for (const runtime of runtimes.values()) frequent.runtime(runtime);
    for (const cursor of cursors.values()) frequent.cursor(cursor);
    states.flush();
    reset();
  };

  const writeOne = (change: Change): void => {
    if (change.kind === 'row') states.add(change, panes.get(change.paneKey));
    else if (change.kind === 'cursor') cursors.set(cursorKeyOf(change), change);
    else if (change.kind === 'pane') panes.set(change.paneKey, change);
    else if (change.kind === 'runtime') runtimes.set(change.runtime.runtimeId, change.runtime);
    else if (change.kind === 'pane_forgotten') {
      // The same pane may be back later in the batch, so what came before is written now.
      flush();
      forgetPane(change.paneKey);
    } else writeRare(change);
  };

  return (changes) => {
    try {
      for (const change of changes) writeOne(change);
      flush();
    } finally {
      // Nothing of a batch that is rolled back may reach the next one.
      reset();
    }
  };
}
