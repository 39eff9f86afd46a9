// How far each third-party source has come: what was fetched from it and what of that is committed.
// A cursor is the source's own text and means nothing to us.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../sqlite/sqlite-fault.ts';

export interface ChannelCursor {
  readonly fetched: string | null;
  readonly committed: string | null;
  readonly atMs: number;
}

export interface SourceCursors {
  load(channel: string): ChannelCursor | null;
  save(channel: string, cursor: ChannelCursor): void;
}

const saveSql = `
  INSERT INTO source_cursors (channel, fetched_cursor, committed_cursor, checkpoint_at)
  VALUES (?, ?, ?, ?)
  ON CONFLICT (channel) DO UPDATE SET fetched_cursor = excluded.fetched_cursor,
    committed_cursor = excluded.committed_cursor, checkpoint_at = excluded.checkpoint_at`;

export function prepareSourceCursors(db: DatabaseSync, path: string): SourceCursors {
  const select = db.prepare(
    `SELECT fetched_cursor AS fetched, committed_cursor AS committed, checkpoint_at AS at
      FROM source_cursors WHERE channel = ?`,
  );
  const save = db.prepare(saveSql);
  return {
    load: (channel) =>
      guarded(path, () => {
        const row = select.get(channel);
        if (row === undefined) return null;
        const textOf = (value: unknown): string | null =>
          typeof value === 'string' ? value : null;
        return {
          fetched: textOf(row['fetched']),
          committed: textOf(row['committed']),
          atMs: Number(row['at']),
        };
      }),
    save: (channel, { fetched, committed, atMs }) =>
      guarded(path, () => {
        save.run(channel, fetched, committed, atMs);
      }),
  };
}
