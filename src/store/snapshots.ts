// Snapshots of the world, so that a start replays a tail and not the whole timeline. The world is
// an opaque text here; its format belongs to the core. A damaged snapshot is skipped, not trusted.

import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import { asFault, corrupt, guarded } from './sqlite-fault.ts';
import type { Meta } from './tables/meta.ts';
import { inTransaction } from './transaction.ts';

export interface Snapshot {
  /** The last event that is in the world. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: 'periodic' | 'shutdown';
  readonly world: string;
}

export interface LatestSnapshot {
  /** Null: none is readable, and the timeline is still whole from its start. */
  readonly snapshot: Snapshot | null;
  /** Newer snapshots that were skipped because they are damaged, by their seq. */
  readonly damagedSeqs: readonly number[];
}

export interface Snapshots {
  save(snapshot: Snapshot): void;
  latest(): LatestSnapshot;
}

// Two more than needed: one damaged snapshot costs some replay and not the history.
const KEPT_COUNT = 3;

const insertSql = `
  INSERT INTO snapshots (seq, kind, at, world_bytes, sha256, world) VALUES (?, ?, ?, ?, ?, ?)`;
const dropWorldsSql = `
  UPDATE snapshots SET world = NULL WHERE world IS NOT NULL AND id NOT IN (
    SELECT id FROM snapshots WHERE world IS NOT NULL ORDER BY seq DESC, id DESC LIMIT ${KEPT_COUNT}
  )`;
const keptSql = `
  SELECT id, seq FROM snapshots WHERE world IS NOT NULL ORDER BY seq DESC, id DESC`;

/** Covers all that a restore relies on: a right world under a wrong seq would be a wrong world. */
function checksumOf({ seq, atMs, kind, world }: Snapshot): string {
  return createHash('sha256').update(`${seq} ${atMs} ${kind}\n`).update(world).digest('hex');
}

function snapshotOf(row: Record<string, SQLOutputValue> | undefined): Snapshot | null {
  const { seq, at, kind, sha256, world } = row ?? {};
  if (typeof seq !== 'number' || typeof at !== 'number' || typeof world !== 'string') return null;
  if (kind !== 'periodic' && kind !== 'shutdown') return null;
  const snapshot: Snapshot = { seq, atMs: at, kind, world };
  return checksumOf(snapshot) === sha256 ? snapshot : null;
}

export function prepareSnapshots(db: DatabaseSync, path: string, meta: Meta): Snapshots {
  const insert = db.prepare(insertSql);
  const dropWorlds = db.prepare(dropWorldsSql);
  const selectKept = db.prepare(keptSql);
  const selectOne = db.prepare('SELECT seq, at, kind, sha256, world FROM snapshots WHERE id = ?');

  // A snapshot on unreadable pages is as damaged as one whose checksum is wrong.
  const readOne = (id: number): Snapshot | null => {
    try {
      return snapshotOf(selectOne.get(id));
    } catch (error) {
      const fault = asFault(error, path);
      if (fault instanceof Fault && fault.code === 'store_corrupt') return null;
      throw error;
    }
  };

  const write = (snapshot: Snapshot): void => {
    const { seq, atMs, kind, world } = snapshot;
    if (seq > meta.read('lastSeq')) throw new RangeError(`no event has the seq ${seq} yet`);
    insert.run(seq, kind, atMs, Buffer.byteLength(world), checksumOf(snapshot), world);
    dropWorlds.run();
  };

  return {
    save: (snapshot) => guarded(path, () => inTransaction(db, () => write(snapshot))),
    latest: () =>
      guarded(path, () => {
        const damagedSeqs: number[] = [];
        for (const kept of selectKept.all()) {
          const snapshot = readOne(Number(kept['id']));
          if (snapshot) return { snapshot, damagedSeqs };
          damagedSeqs.push(Number(kept['seq']));
        }
        if (meta.read('prunedSeq') > 0) {
          throw corrupt(path, 'no snapshot is readable, and the first events are gone');
        }
        return { snapshot: null, damagedSeqs };
      }),
  };
}
