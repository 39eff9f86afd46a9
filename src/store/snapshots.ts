// Snapshots of the world, so that a start replays a tail and not the whole timeline. The world is
// an opaque text here; its format belongs to the core. A damaged snapshot is skipped, not trusted.

import { createHash, type Hash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import { asFault, corrupt, guarded } from './sqlite/sqlite-fault.ts';
import { inTransaction } from './sqlite/transaction.ts';
import type { Meta } from './tables/meta.ts';

interface SnapshotHead {
  /** The last event that is in the world. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: 'periodic' | 'shutdown';
}

export interface NewSnapshot extends SnapshotHead {
  /** The world's text, cut between characters. One part at a time need be in memory. */
  readonly parts: Iterable<string>;
}

export interface Snapshot extends SnapshotHead {
  readonly world: string;
}

export interface LatestSnapshot {
  /** Null: none is readable, and the timeline is still whole from its start. */
  readonly snapshot: Snapshot | null;
}

export interface Snapshots {
  save(snapshot: NewSnapshot): void;
  latest(): LatestSnapshot;
}

// Two more than needed: one damaged snapshot costs some replay and not the history.
const KEPT_COUNT = 3;

const insertSql = `
  INSERT INTO snapshots (seq, kind, at, world_bytes, sha256, is_kept) VALUES (?, ?, ?, 0, '', 1)`;
const keptSql = `
  SELECT id FROM snapshots WHERE is_kept = 1 ORDER BY seq DESC, id DESC`;

/** Covers all that a restore relies on: a right world under a wrong seq would be a wrong world. */
const checksum = ({ seq, atMs, kind }: SnapshotHead): Hash =>
  createHash('sha256').update(`${seq} ${atMs} ${kind}\n`);

function snapshotOf(
  row: Record<string, SQLOutputValue> | undefined,
  world: string,
): Snapshot | null {
  const { seq, at, kind, sha256 } = row ?? {};
  if (typeof seq !== 'number' || typeof at !== 'number') return null;
  if (kind !== 'periodic' && kind !== 'shutdown') return null;
  const head: SnapshotHead = { seq, atMs: at, kind };
  return checksum(head).update(world).digest('hex') === sha256 ? { ...head, world } : null;
}

export function prepareSnapshots(db: DatabaseSync, path: string, meta: Meta): Snapshots {
  const insert = db.prepare(insertSql);
  const insertPart = db.prepare(
    'INSERT INTO snapshot_parts (snapshot_id, part, text) VALUES (?, ?, ?)',
  );
  const complete = db.prepare('UPDATE snapshots SET world_bytes = ?, sha256 = ? WHERE id = ?');
  const deleteParts = db.prepare('DELETE FROM snapshot_parts WHERE snapshot_id = ?');
  const letGo = db.prepare('UPDATE snapshots SET is_kept = 0 WHERE id = ?');
  const selectKept = db.prepare(keptSql);
  const selectHead = db.prepare('SELECT seq, at, kind, sha256 FROM snapshots WHERE id = ?');
  const selectParts = db.prepare(
    'SELECT text FROM snapshot_parts WHERE snapshot_id = ? ORDER BY part',
  );

  // A snapshot on unreadable pages is as damaged as one whose checksum is wrong.
  const readOne = (id: number): Snapshot | null => {
    try {
      const world = selectParts.all(id).map(({ text }) => String(text));
      return snapshotOf(selectHead.get(id), world.join(''));
    } catch (error) {
      const fault = asFault(error, path);
      if (fault instanceof Fault && fault.code === 'store_corrupt') return null;
      throw error;
    }
  };

  const write = ({ parts, ...head }: NewSnapshot): void => {
    const { seq, atMs, kind } = head;
    if (seq > meta.read('lastSeq')) throw new RangeError(`no event has the seq ${seq} yet`);
    const { lastInsertRowid } = insert.run(seq, kind, atMs);
    for (const { id = null } of selectKept.all().slice(KEPT_COUNT)) {
      deleteParts.run(id);
      letGo.run(id);
    }
    const hash = checksum(head);
    let bytes = 0;
    let count = 0;
    for (const text of parts) {
      insertPart.run(lastInsertRowid, count, text);
      hash.update(text);
      bytes += Buffer.byteLength(text);
      count += 1;
    }
    complete.run(bytes, hash.digest('hex'), lastInsertRowid);
  };

  return {
    save: (snapshot) => guarded(path, () => inTransaction(db, () => write(snapshot))),
    latest: () =>
      guarded(path, () => {
        for (const kept of selectKept.all()) {
          const snapshot = readOne(Number(kept['id']));
          if (snapshot) return { snapshot };
        }
        if (meta.read('prunedSeq') > 0) {
          throw corrupt(path, 'no snapshot is readable, and the first events are gone');
        }
        return { snapshot: null };
      }),
  };
}
