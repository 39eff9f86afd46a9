// Schema 10: repeat rules: a command that a person allows an agent some times, in one folder.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE repeat_rules (
  rule_id TEXT PRIMARY KEY,
  target_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  folder TEXT NOT NULL,
  tool TEXT,
  command TEXT NOT NULL,
  count_left INTEGER NOT NULL,
  fired_count INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  last_fired_at REAL,
  revoked_at REAL
) STRICT, WITHOUT ROWID;
CREATE INDEX repeat_rules_made ON repeat_rules (created_at);
CREATE INDEX repeat_rules_until ON repeat_rules (expires_at);
`;

export const repeatRules: Migration = { version: 10, name: 'repeat rules', sql };
