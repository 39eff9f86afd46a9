// The second half of schema 1: tables of the parts beside the engine (acting, adapters, alerts,
// messages, bundles). Each is read and written by its own part; here is only their shape.

export const partsSql = `
CREATE TABLE action_snapshots (
  snapshot_id TEXT PRIMARY KEY,
  target_id TEXT NOT NULL,
  pane_key TEXT NOT NULL,
  pane_id TEXT,
  runtime_id TEXT,
  state_version INTEGER NOT NULL,
  observed_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  nonce TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX action_snapshots_expiry ON action_snapshots (expires_at);

CREATE TABLE actions (
  action_id TEXT PRIMARY KEY,
  request_ref TEXT UNIQUE,
  kind TEXT NOT NULL,
  pane_key TEXT NOT NULL,
  runtime_id TEXT,
  snapshot_id TEXT,
  asked_by TEXT NOT NULL,
  input TEXT NOT NULL,
  asked_at REAL NOT NULL,
  result TEXT,
  result_code TEXT,
  detail TEXT,
  done_at REAL
) STRICT, WITHOUT ROWID;
CREATE INDEX actions_done ON actions (done_at) WHERE done_at IS NOT NULL;

CREATE TABLE adapters (
  adapter_name TEXT PRIMARY KEY,
  agent_type TEXT NOT NULL,
  version TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  alert_id TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  about TEXT NOT NULL,
  level TEXT NOT NULL,
  detail TEXT,
  opened_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  acknowledged_at REAL,
  resolved_at REAL,
  resolved_by TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX alerts_open ON alerts (code, about) WHERE resolved_at IS NULL;

CREATE TABLE bundles (
  bundle_name TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  detail TEXT,
  updated_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bundle_members (
  bundle_name TEXT NOT NULL REFERENCES bundles (bundle_name) ON DELETE CASCADE,
  member_id TEXT NOT NULL,
  coder TEXT NOT NULL,
  pane_key TEXT,
  status TEXT NOT NULL,
  detail TEXT,
  updated_at REAL NOT NULL,
  PRIMARY KEY (bundle_name, member_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  message_id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  reply_to TEXT,
  bundle_name TEXT,
  sender TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at REAL NOT NULL,
  deadline_at REAL
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_of_thread ON messages (thread_id, created_at);

-- intent_at is committed before anything is typed: after a crash it tells what was not proven.
CREATE TABLE deliveries (
  message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  intent_at REAL,
  settled_at REAL,
  detail TEXT,
  PRIMARY KEY (message_id, recipient)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_open ON deliveries (recipient) WHERE settled_at IS NULL;
`;
