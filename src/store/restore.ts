// Dry run of a restore: rebuilds the rows from the latest snapshot and its tail, and
// says where they differ from the stored ones. Changes nothing.

import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { PaneKey } from '../schema/ids.ts';
import type { PaneRow } from '../schema/pane.ts';
import type { EventReader, StoredEvent } from './readers/events.ts';
import type { Snapshots } from './snapshots.ts';
import { inReadTransaction } from './sqlite/transaction.ts';

/** Makes the rows from a snapshot's world (null: from nothing) and the events after it. */
export type Rebuild = (
  world: string | null,
  tail: Iterable<StoredEvent>,
) => ReadonlyMap<PaneKey, PaneRow>;

export interface RowDifference {
  readonly paneKey: PaneKey;
  readonly stored: PaneRow | null;
  readonly rebuilt: PaneRow | null;
}

export interface RestoreReport {
  /** The last event of the snapshot that was used; 0 for none. */
  readonly snapshotSeq: number;
  readonly damagedSeqs: readonly number[];
  readonly differences: readonly RowDifference[];
}

export interface RestoreParts {
  readonly snapshots: Snapshots;
  readonly events: EventReader;
  readonly rows: () => ReadonlyMap<PaneKey, PaneRow>;
}

// What JSON cannot hold (an undefined field) is no difference.
const asStored = (row: PaneRow | null): unknown => JSON.parse(JSON.stringify(row));

function differencesOf(
  stored: ReadonlyMap<PaneKey, PaneRow>,
  rebuilt: ReadonlyMap<PaneKey, PaneRow>,
): RowDifference[] {
  const keys = new Set([...stored.keys(), ...rebuilt.keys()]);
  return [...keys]
    .map((paneKey) => ({
      paneKey,
      stored: stored.get(paneKey) ?? null,
      rebuilt: rebuilt.get(paneKey) ?? null,
    }))
    .filter((each) => !isDeepStrictEqual(each.stored, asStored(each.rebuilt)));
}

export function checkRestore(
  db: DatabaseSync,
  { snapshots, events, rows }: RestoreParts,
  rebuild: Rebuild,
): RestoreReport {
  // One view for snapshot, tail and rows: a daemon that commits meanwhile makes no difference.
  return inReadTransaction(db, () => {
    const { snapshot, damagedSeqs } = snapshots.latest();
    const snapshotSeq = snapshot?.seq ?? 0;
    const rebuilt = rebuild(snapshot?.world ?? null, events.eventsAfter(snapshotSeq));
    return { snapshotSeq, damagedSeqs, differences: differencesOf(rows(), rebuilt) };
  });
}
