// Schema 1. Rows are keyed by pane_key: a tmux `%12` alone names no pane. Never edited after
// a release: a change is a new migration. Its SQL is a string, so that it is bundled.

import type { Migration } from '../migration.ts';
import { partsSql } from './0001-parts.ts';

// Times are epoch milliseconds as REAL: they may have fractions, and SQLite keeps a whole REAL in
// the space of an integer.
const worldSql = `
CREATE TABLE targets (
  target_id TEXT PRIMARY KEY,
  target_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  connection_ref TEXT,
  is_default INTEGER NOT NULL DEFAULT 0,
  last_seen_at REAL,
  health TEXT NOT NULL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- The seat of an agent without a pane has a target and nothing of tmux.
CREATE TABLE panes (
  pane_key TEXT PRIMARY KEY,
  target_id TEXT NOT NULL,
  server TEXT,
  generation_pid INTEGER,
  generation_started_at REAL,
  pane_id TEXT,
  birth_pid INTEGER,
  birth_started_at REAL,
  session_name TEXT,
  window_id TEXT,
  window_name TEXT,
  locations TEXT,
  title TEXT,
  command TEXT,
  path TEXT,
  dead INTEGER,
  opaque INTEGER,
  gone_at REAL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runtimes (
  runtime_id TEXT PRIMARY KEY,
  target_id TEXT NOT NULL,
  pane_key TEXT NOT NULL,
  pane_id TEXT,
  pane_epoch INTEGER NOT NULL,
  agent_type TEXT NOT NULL,
  pid INTEGER,
  started_at REAL NOT NULL,
  ended_at REAL,
  end_reason TEXT
) STRICT, WITHOUT ROWID;
-- Only among the living: a pane that was forgotten and came back counts its epochs anew.
CREATE UNIQUE INDEX runtimes_alive ON runtimes (pane_key, pane_epoch) WHERE ended_at IS NULL;
CREATE INDEX runtimes_ended ON runtimes (ended_at) WHERE ended_at IS NOT NULL;

-- seq is the one timeline, without gaps. body is the event without its payload; body_crc covers
-- body and seq, so that a damaged byte is found and not replayed. raw_payload has its own column
-- because retention clears it long before the event itself goes.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  runtime_id TEXT,
  event_type TEXT NOT NULL,
  source TEXT,
  source_event_id TEXT,
  source_seq INTEGER,
  event_time REAL NOT NULL,
  ingested_at REAL NOT NULL,
  dedupe_key TEXT,
  disposition TEXT,
  tier TEXT,
  body_crc INTEGER NOT NULL,
  body TEXT NOT NULL,
  raw_payload TEXT
) STRICT;
-- The same evidence is applied to a runtime once. The columns stand in this order because a source
-- makes its keys in the order of time: new ones land side by side on few pages, where the runtime
-- in front would touch a page for nearly every event of a batch.
CREATE UNIQUE INDEX events_once ON events (source, dedupe_key, runtime_id)
  WHERE runtime_id IS NOT NULL AND disposition IN ('apply', 'bound');

CREATE TABLE runtime_source_cursors (
  runtime_id TEXT NOT NULL,
  source TEXT NOT NULL,
  last_source_seq INTEGER,
  last_order_event_time REAL NOT NULL,
  last_order_ingested_at REAL NOT NULL,
  last_order_event_id TEXT NOT NULL,
  PRIMARY KEY (runtime_id, source)
) STRICT, WITHOUT ROWID;

-- body is the whole row; the columns beside it are those that are asked for by name.
CREATE TABLE states (
  pane_key TEXT PRIMARY KEY REFERENCES panes (pane_key) ON DELETE CASCADE,
  target_id TEXT NOT NULL,
  pane_id TEXT,
  runtime_id TEXT,
  presence TEXT NOT NULL,
  state TEXT NOT NULL,
  reason_code TEXT,
  confidence TEXT NOT NULL,
  state_version INTEGER NOT NULL,
  last_source_seq INTEGER,
  last_seen_at REAL,
  updated_at REAL NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE state_history (
  id INTEGER PRIMARY KEY,
  pane_key TEXT NOT NULL,
  state_version INTEGER NOT NULL,
  runtime_id TEXT,
  presence TEXT NOT NULL,
  state TEXT NOT NULL,
  reason_code TEXT,
  confidence TEXT NOT NULL,
  source TEXT,
  attention TEXT NOT NULL,
  event_id TEXT NOT NULL,
  at REAL NOT NULL
) STRICT;

CREATE TABLE sessions (
  session_key TEXT PRIMARY KEY,
  runtime_id TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  title TEXT,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_runtime ON sessions (runtime_id);

CREATE TABLE bindings (
  id INTEGER PRIMARY KEY,
  pane_key TEXT NOT NULL,
  runtime_id TEXT,
  session_key TEXT,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  transition TEXT NOT NULL,
  at REAL NOT NULL
) STRICT;

CREATE TABLE source_cursors (
  channel TEXT PRIMARY KEY,
  fetched_cursor TEXT,
  committed_cursor TEXT,
  checkpoint_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source_health (
  channel TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- world is null once newer snapshots took its place; what was known about it stays for a while.
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at REAL NOT NULL,
  world_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  world TEXT
) STRICT;
CREATE INDEX snapshots_kept ON snapshots (seq) WHERE world IS NOT NULL;

-- last_seq: the last event stored. pruned_seq: the last one that retention deleted; between the
-- two no event may be missing. payloads_cleared_seq: how far retention has cleared payloads.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value)
  VALUES ('last_seq', 0), ('pruned_seq', 0), ('payloads_cleared_seq', 0);
`;

export const initial: Migration = { version: 1, name: 'initial', sql: worldSql + partsSql };
