// Schema 2: what readers ask for is found by a key. An index on the history of a pane would dirty a
// page for nearly every pane of a batch (a tenth of the store's speed), so each step names the one
// before it and `states` names the last: a pane's history is a chain of key lookups.

import type { Migration } from './migration.ts';

const sql = `
-- The step before it of the same pane; null for the first one, or when retention took it.
ALTER TABLE state_history ADD COLUMN previous_id INTEGER;
ALTER TABLE states ADD COLUMN history_id INTEGER;
UPDATE state_history SET previous_id = chain.previous_id
  FROM (SELECT id, lag(id) OVER (PARTITION BY pane_key ORDER BY id) AS previous_id
    FROM state_history) AS chain
  WHERE chain.id = state_history.id;
UPDATE states SET history_id = newest.id
  FROM (SELECT pane_key, max(id) AS id FROM state_history GROUP BY pane_key) AS newest
  WHERE newest.pane_key = states.pane_key;

CREATE INDEX bindings_of_pane ON bindings (pane_key);
CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE resolved_at IS NOT NULL;
`;

export const readers: Migration = { version: 2, name: 'readers', sql };
