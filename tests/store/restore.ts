// A restore for tests, by a connection of its own: the rows that the newest snapshot and the events
// after it lead to, and where they differ from the stored ones.

import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { decodeWorld, replay } from '../../src/core/replay.ts';
import { emptyWorld } from '../../src/core/world.ts';
import type { WorldEvent } from '../../src/schema/event.ts';
import { id, type PaneKey } from '../../src/schema/ids.ts';
import { type PaneRow, rowSchema } from '../../src/schema/pane.ts';
import type { Store } from '../../src/store/store.ts';

export type Rows = ReadonlyMap<PaneKey, PaneRow>;

/** Makes the rows from a snapshot's world (null: from nothing) and the events after it. */
type Rebuild = (world: string | null, tail: Iterable<{ readonly event: WorldEvent }>) => Rows;

export interface RowDifference {
  readonly paneKey: PaneKey;
  readonly stored: PaneRow | null;
  readonly rebuilt: PaneRow | null;
}

/** All stored rows by pane. */
export function storedRows({ path }: Pick<Store, 'path'>): Rows {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = db.prepare('SELECT pane_key, body FROM states').all();
    return new Map(
      rows.map(({ pane_key: key, body }) => [
        id<PaneKey>(String(key)),
        rowSchema.parse(JSON.parse(String(body))),
      ]),
    );
  } finally {
    db.close();
  }
}

// What JSON cannot hold (an undefined field) is no difference.
const asStored = (row: PaneRow | null): unknown => JSON.parse(JSON.stringify(row));

/** Rows that a restore would make otherwise than they are stored. */
export function rowDifferences(store: Store, rebuild: Rebuild = rebuildRows): RowDifference[] {
  const { snapshot } = store.latestSnapshot();
  const rebuilt = rebuild(snapshot?.world ?? null, store.eventsAfter(snapshot?.seq ?? 0));
  const stored = storedRows(store);
  return [...new Set([...stored.keys(), ...rebuilt.keys()])]
    .map((paneKey) => ({
      paneKey,
      stored: stored.get(paneKey) ?? null,
      rebuilt: rebuilt.get(paneKey) ?? null,
    }))
    .filter((each) => !isDeepStrictEqual(each.stored, asStored(each.rebuilt)));
}

/** The rebuild of the product's engine. */
function rebuildRows(...[snapshot, tail]: Parameters<Rebuild>): Rows {
  const from = snapshot === null ? emptyWorld : decodeWorld(snapshot);
  if (!from) throw new Error('the snapshot has another format');
  const { panes } = replay(
    [...tail].map(({ event }) => event),
    from,
  );
  return new Map([...panes].map(([paneKey, { row }]) => [paneKey, row]));
}
