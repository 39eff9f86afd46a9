// Schema 12: the members of bundles that could not be started. Whether a bundle is to be up is in
// the table of bundles since schema 1.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE startup_failures (
  bundle_name TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  transport TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  failed_at REAL NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (bundle_name, sequence)
) STRICT, WITHOUT ROWID;
`;

export const startupFailures: Migration = { version: 12, name: 'startup failures', sql };
