// Snapshots: the newest readable one counts, a damaged one is skipped, and a restore from snapshot
// and tail makes the rows that are stored.

import { describe, expect, it } from 'vitest';
import {
  commitTiny,
  encodeRows,
  evidenceRange,
  faultOf,
  makeStore,
  paneKey,
  query,
  row,
  T0,
  tamper,
  tinyRebuild,
} from './fixture.ts';
import { rowDifferences, storedRows } from './restore.ts';

type Store = ReturnType<typeof makeStore>;

const save = (store: Store, atMs = T0): void =>
  store.saveSnapshot({
    seq: store.lastSeq(),
    atMs,
    kind: 'periodic',
    parts: [encodeRows(storedRows(store))],
  });

/** A store with snapshots at 10, 20, … and ten events after the last one. */
function storeWithSnapshots(count: number): Store {
  const store = makeStore();
  for (let index = 0; index < count; index += 1) {
    commitTiny(store, evidenceRange(index * 10 + 1, index * 10 + 10));
    save(store, T0 + index);
  }
  commitTiny(store, evidenceRange(count * 10 + 1, count * 10 + 10));
  return store;
}

const at50 = 'snapshot_id = (SELECT id FROM snapshots WHERE seq = 50)';

describe('snapshots', () => {
  it('gives back the newest one whole', () => {
    const store = makeStore();
    expect(store.latestSnapshot()).toEqual({ snapshot: null });
    commitTiny(store, evidenceRange(1, 3));
    const head = { seq: 3, atMs: T0 + 0.25, kind: 'shutdown' } as const;
    const parts = ['\0 {"ü":', '"\u{1F600}', 'x'.repeat(50_000), '"}'];
    store.saveSnapshot({ ...head, parts });
    const snapshot = { ...head, world: parts.join('') };
    expect(store.latestSnapshot()).toEqual({ snapshot });
  });

  it('keeps three worlds, and what is known about the older ones', () => {
    const store = storeWithSnapshots(5);
    const kept = query(
      store.path,
      `SELECT seq, is_kept, count(text) AS parts FROM snapshots
        LEFT JOIN snapshot_parts ON snapshot_id = id GROUP BY id`,
    );
    const seqs = [10, 20, 30, 40, 50];
    expect(kept).toEqual(
      seqs.map((seq) => (seq < 30 ? { seq, is_kept: 0, parts: 0 } : { seq, is_kept: 1, parts: 1 })),
    );
    expect(query(store.path, 'SELECT min(world_bytes) > 0 AS known FROM snapshots')).toEqual([
      { known: 1 },
    ]);
  });

  it.each([
    ['a changed world', `UPDATE snapshot_parts SET text = replace(text, '1', '2') WHERE ${at50}`],
    ['a cut world', `UPDATE snapshot_parts SET text = substr(text, 1, 20) WHERE ${at50}`],
    ['a world without its parts', `DELETE FROM snapshot_parts WHERE ${at50}`],
    ['a changed place', 'UPDATE snapshots SET seq = 55 WHERE seq = 50'],
    ['a changed kind', `UPDATE snapshots SET kind = 'other' WHERE seq = 50`],
    ['a changed checksum', `UPDATE snapshots SET sha256 = '' WHERE seq = 50`],
  ])('skips %s and uses the one before', (_what, sql) => {
    const store = storeWithSnapshots(5);
    tamper(store.path, sql);
    expect(store.latestSnapshot().snapshot?.seq).toBe(40);
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
  });

  it('starts from nothing when all are damaged and no event is gone', () => {
    const store = storeWithSnapshots(3);
    tamper(store.path, `UPDATE snapshot_parts SET text = 'x'`);
    expect(store.latestSnapshot()).toEqual({ snapshot: null });
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
  });

  it('refuses when all are damaged and the first events are gone', () => {
    const store = storeWithSnapshots(3);
    store.runRetention({ nowMs: T0 + 10_000, metadataMs: 1 });
    tamper(store.path, `UPDATE snapshot_parts SET text = 'x'`);
    const fault = faultOf(() => store.latestSnapshot());
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(/no snapshot is readable/);
  });

  it('does not take a snapshot of events that are not stored', () => {
    const store = storeWithSnapshots(1);
    const snapshot = { seq: 21, atMs: T0, kind: 'periodic', parts: [] } as const;
    expect(() => store.saveSnapshot(snapshot)).toThrow(/no event has the seq 21/);
    expect(store.latestSnapshot().snapshot?.seq).toBe(10);
  });
});

describe('a restore', () => {
  it('finds no difference from snapshot plus tail, nor from the start', () => {
    const store = storeWithSnapshots(4);
    expect(store.latestSnapshot().snapshot?.seq).toBe(40);
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
    const fromStart = tinyRebuild(null, store.eventsAfter(0));
    expect(fromStart).toEqual(storedRows(store));
  });

  it('names every row that differs, is missing, or is too many', () => {
    const store = storeWithSnapshots(1);
    const differences = rowDifferences(store, (world, tail) => {
      const rows = new Map(tinyRebuild(world, tail));
      rows.set(paneKey(0), row(1));
      rows.delete(paneKey(1));
      return rows.set(paneKey(2), row(2));
    });
    expect(
      differences.map(({ paneKey: key, stored, rebuilt }) => ({
        key,
        stored: stored?.stateVersion,
        rebuilt: rebuilt?.stateVersion,
      })),
    ).toEqual(
      expect.arrayContaining([
        { key: paneKey(0), stored: 10, rebuilt: 1 },
        { key: paneKey(1), stored: 10, rebuilt: undefined },
        { key: paneKey(2), stored: undefined, rebuilt: 2 },
      ]),
    );
    expect(differences).toHaveLength(3);
  });
});
