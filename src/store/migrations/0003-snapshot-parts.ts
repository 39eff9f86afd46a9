// Schema 3: the world of a snapshot is kept in parts. As one text of some MB it went through
// buffers of its size, and what the allocator once took for them it did not give back.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE snapshot_parts (
  snapshot_id INTEGER NOT NULL REFERENCES snapshots (id),
  part INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (snapshot_id, part)
) STRICT;
INSERT INTO snapshot_parts (snapshot_id, part, text)
  SELECT id, 0, world FROM snapshots WHERE world IS NOT NULL;

-- 0 once newer snapshots took its place and its parts are gone; what was known about it stays.
ALTER TABLE snapshots ADD COLUMN is_kept INTEGER NOT NULL DEFAULT 0;
UPDATE snapshots SET is_kept = 1 WHERE world IS NOT NULL;
DROP INDEX snapshots_kept;
ALTER TABLE snapshots DROP COLUMN world;
CREATE INDEX snapshots_kept ON snapshots (seq) WHERE is_kept = 1;
`;

export const snapshotParts: Migration = { version: 3, name: 'snapshot-parts', sql };
