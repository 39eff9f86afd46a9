// Schema 11: messages between agents and people. A delivery with a `place` is the receipt of one
// recipient; places grow, and are the order of every queue. Queued prompts have none.

import type { Migration } from './migration.ts';

const sql = `
ALTER TABLE messages ADD COLUMN sender_name TEXT;
ALTER TABLE messages ADD COLUMN subject TEXT;
ALTER TABLE messages ADD COLUMN attachments TEXT;
ALTER TABLE messages ADD COLUMN hop_count INTEGER;
ALTER TABLE messages ADD COLUMN request_ref TEXT;
CREATE UNIQUE INDEX messages_of_request ON messages (sender, request_ref)
  WHERE request_ref IS NOT NULL;
CREATE INDEX messages_of_sender ON messages (sender, created_at) WHERE sender_name IS NOT NULL;
CREATE INDEX messages_by_time ON messages (created_at) WHERE sender_name IS NOT NULL;
ALTER TABLE deliveries ADD COLUMN place INTEGER;
ALTER TABLE deliveries ADD COLUMN recipient_name TEXT;
ALTER TABLE deliveries ADD COLUMN is_copy INTEGER;
ALTER TABLE deliveries ADD COLUMN boundary TEXT;
ALTER TABLE deliveries ADD COLUMN batch_id TEXT;
ALTER TABLE deliveries ADD COLUMN code TEXT;
ALTER TABLE deliveries ADD COLUMN runtime_id TEXT;
ALTER TABLE deliveries ADD COLUMN reply_channel TEXT;
ALTER TABLE deliveries ADD COLUMN read_at REAL;
ALTER TABLE deliveries ADD COLUMN replied_at REAL;
CREATE UNIQUE INDEX receipts_by_place ON deliveries (place) WHERE place IS NOT NULL;
CREATE INDEX receipts_of_recipient ON deliveries (recipient, place) WHERE place IS NOT NULL;
CREATE INDEX receipts_open ON deliveries (place) WHERE place IS NOT NULL AND settled_at IS NULL;
CREATE INDEX receipts_settled ON deliveries (settled_at)
  WHERE place IS NOT NULL AND settled_at IS NOT NULL;
`;

export const messages: Migration = { version: 11, name: 'messages', sql };
