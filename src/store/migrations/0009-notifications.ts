// Schema 9: notifications. The episodes of the policy, what it decided and why, the notifications
// that were made of it, and what came of each on its channels.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE notify_memory (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  body TEXT NOT NULL
) STRICT;

CREATE TABLE notify_episodes (
  episode_id TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notifications (
  number INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE notify_deliveries (
  number INTEGER NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at REAL NOT NULL,
  detail TEXT,
  changed_at REAL NOT NULL,
  PRIMARY KEY (number, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX notify_deliveries_open ON notify_deliveries (status)
  WHERE status IN ('queued', 'started');

CREATE TABLE notify_log (
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  number INTEGER,
  body TEXT NOT NULL
) STRICT;
`;

export const notifications: Migration = { version: 9, name: 'notifications', sql };
