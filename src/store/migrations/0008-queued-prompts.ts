// Schema 8: deliveries of prompts that wait for their moment. `moment` is what they wait for; rows
// without `due_at` are none of these. `recipient` is the runtime, and nobody else ever gets it.

import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE deliveries ADD COLUMN pane_key TEXT;
ALTER TABLE deliveries ADD COLUMN action_id TEXT;
ALTER TABLE deliveries ADD COLUMN moment TEXT;
ALTER TABLE deliveries ADD COLUMN presses_enter INTEGER;
ALTER TABLE deliveries ADD COLUMN is_paste_safe INTEGER;
ALTER TABLE deliveries ADD COLUMN due_at REAL;
ALTER TABLE deliveries ADD COLUMN expires_at REAL;
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE settled_at IS NULL;
CREATE INDEX deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;
`;

export const queuedPrompts: Migration = { version: 8, name: 'queued prompts', sql };
