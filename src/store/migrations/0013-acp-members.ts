// Schema 13: ACP members, so that they are started again with the daemon and go on with their
// sessions.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE acp_members (
  name TEXT NOT NULL PRIMARY KEY,
  spec TEXT NOT NULL,
  session_id TEXT,
  is_in_turn INTEGER NOT NULL,
  is_wanted INTEGER NOT NULL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const acpMembers: Migration = { version: 13, name: 'acp members', sql };
