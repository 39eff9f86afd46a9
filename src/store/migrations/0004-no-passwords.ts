// Schema 4: passwords in the connection of a target (`ssh://user:secret@host`) are removed from all
// that was stored before they were refused: the table of targets, events and snapshots.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { withoutPassword } from '../../schema/target.ts';
import type { Migration } from './migration.ts';

const connection = /"connectionRef":("(?:[^"\\]|\\.)*")/g;

/** JSON in which every connection is without its password. */
const scrubbed = (json: string): string =>
  json.replace(connection, (_, text: string) => {
    return `"connectionRef":${JSON.stringify(withoutPassword(JSON.parse(text)))}`;
  });

function scrubTargets(db: DatabaseSync): void {
  const update = db.prepare('UPDATE targets SET connection_ref = ? WHERE target_id = ?');
  const found = db.prepare("SELECT target_id, connection_ref FROM targets WHERE kind = 'ssh'");
  for (const { target_id: targetId = null, connection_ref: ref } of found.all()) {
    if (typeof ref === 'string') update.run(withoutPassword(ref), targetId);
  }
}

/** The checksum covers the place too, as in tables/event-row.ts. */
function scrubEvents(db: DatabaseSync): void {
  const update = db.prepare('UPDATE events SET body = ?, body_crc = ? WHERE seq = ?');
  const found = db.prepare("SELECT seq, body FROM events WHERE event_type = 'target.changed'");
  for (const { seq, body } of found.all()) {
    const clean = scrubbed(String(body));
    if (clean !== body) update.run(clean, crc32(clean, Number(seq) >>> 0), Number(seq));
  }
}

/** The checksum covers the head too, as in snapshots.ts. */
function scrubSnapshots(db: DatabaseSync): void {
  const selectParts = db.prepare(
    'SELECT part, text FROM snapshot_parts WHERE snapshot_id = ? ORDER BY part',
  );
  const updatePart = db.prepare(
    'UPDATE snapshot_parts SET text = ? WHERE snapshot_id = ? AND part = ?',
  );
  const complete = db.prepare('UPDATE snapshots SET world_bytes = ?, sha256 = ? WHERE id = ?');
  const kept = db.prepare('SELECT id, seq, at, kind FROM snapshots WHERE is_kept = 1');
  for (const { id = null, seq, at, kind } of kept.all()) {
    const hash = createHash('sha256').update(`${seq} ${at} ${kind}\n`);
    let bytes = 0;
    let isChanged = false;
    for (const { part = null, text } of selectParts.all(id)) {
      const clean = scrubbed(String(text));
      if (clean !== text) {
        updatePart.run(clean, id, part);
        isChanged = true;
      }
      hash.update(clean);
      bytes += Buffer.byteLength(clean);
    }
    // A damaged snapshot without a password keeps the checksum that does not fit.
    if (isChanged) complete.run(bytes, hash.digest('hex'), id);
  }
}

export const noPasswords: Migration = {
  version: 4,
  name: 'no-passwords',
  isRewritten: true,
  // What is overwritten is not left in free pages.
  sql: 'PRAGMA secure_delete = ON;',
  run: (db) => {
    scrubTargets(db);
    scrubEvents(db);
    scrubSnapshots(db);
    db.exec('PRAGMA secure_delete = OFF');
  },
};
