// Schema 7: what an agent was doing, and where, when it ended: enough to start it again with its
// own session, after the daemon, tmux or the machine was restarted.

import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE runtimes ADD COLUMN session_key TEXT;
ALTER TABLE runtimes ADD COLUMN last_prompt TEXT;
ALTER TABLE runtimes ADD COLUMN last_path TEXT;
ALTER TABLE runtimes ADD COLUMN server TEXT;
ALTER TABLE runtimes ADD COLUMN session_name TEXT;
`;

export const endedAgents: Migration = { version: 7, name: 'ended agents', sql };
