// Schema 6: how long agents were in each state. A step of history names the session that showed its
// pane, because a pane that is closed is soon forgotten; and the store knows when a daemon ran.

import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE state_history ADD COLUMN target_id TEXT;
ALTER TABLE state_history ADD COLUMN session_name TEXT;
UPDATE state_history SET target_id = panes.target_id, session_name = panes.session_name
  FROM panes WHERE panes.pane_key = state_history.pane_key;

-- One row for each stretch in which a daemon ran and the machine was awake.
CREATE TABLE daemon_runs (
  id INTEGER PRIMARY KEY,
  started_at REAL NOT NULL,
  alive_at REAL NOT NULL
) STRICT;
-- What was stored before is taken as watched.
INSERT INTO daemon_runs (started_at, alive_at)
  SELECT min(at), max(at) FROM state_history HAVING count(*) > 0;
`;

export const timeSpent: Migration = { version: 6, name: 'time spent', sql };
