// Schema 14: which agent has started which, so that none answers for one that it started, also
// after a restart of the daemon.

import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE started_agents (
  place TEXT NOT NULL PRIMARY KEY,
  starters TEXT NOT NULL,
  started_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX started_agents_age ON started_agents (started_at);
`;

export const startedAgents: Migration = { version: 14, name: 'started agents', sql };
