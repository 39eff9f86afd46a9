// Schema 5: the audit trail is read by pane and by time, and its open actions are found at a start.

import type { Migration } from './migration.ts';

const sql = `
CREATE INDEX actions_asked ON actions (asked_at);
CREATE INDEX actions_pane ON actions (pane_key, asked_at);
CREATE INDEX actions_open ON actions (asked_at) WHERE done_at IS NULL;
`;

export const actionIndexes: Migration = { version: 5, name: 'action indexes', sql };
