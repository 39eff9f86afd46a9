// Rare changes, written one by one in order: targets, sessions, bindings, channels, and what became
// of evidence that waited for its runtime.

import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '../../schema/change.ts';

export type RareChange = Exclude<
  Change,
  { kind: 'row' | 'cursor' | 'pane' | 'pane_forgotten' | 'runtime' }
>;
type Of<Kind extends RareChange['kind']> = Extract<RareChange, { kind: Kind }>;
type Writer<Kind extends RareChange['kind']> = (change: Of<Kind>) => void;

const targetSql = `
  INSERT INTO targets (
    target_id, target_name, kind, connection_ref, last_seen_at, health, updated_at
  ) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (target_id) DO UPDATE SET
    target_name = excluded.target_name, kind = excluded.kind,
    connection_ref = excluded.connection_ref, health = excluded.health,
    last_seen_at = coalesce(excluded.last_seen_at, last_seen_at),
    updated_at = excluded.updated_at`;

// A change without a title only names the runtime of the session; the stored title stays.
const sessionSql = `
  INSERT INTO sessions (session_key, runtime_id, agent_type, title, updated_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (session_key) DO UPDATE SET
    runtime_id = excluded.runtime_id, agent_type = excluded.agent_type,
    title = coalesce(excluded.title, title), updated_at = excluded.updated_at`;

const bindingSql = `
  INSERT INTO bindings (
    pane_key, runtime_id, session_key, from_state, to_state, transition, at
  ) VALUES (?, ?, ?, ?, ?, ?, ?)`;

const channelSql = `
  INSERT INTO source_health (channel, status, updated_at) VALUES (?, ?, ?)
  ON CONFLICT (channel) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at`;

function prepareTarget(db: DatabaseSync): Writer<'target'> {
  const upsert = db.prepare(targetSql);
  return ({ target, atMs }) => {
    const { targetId, name, kind, connectionRef, health } = target;
    // A target that is down keeps the time at which it last answered.
    const seenAtMs = health === 'down' ? null : atMs;
    upsert.run(targetId, name, kind, connectionRef, seenAtMs, health, atMs);
  };
}

function prepareDisposition(db: DatabaseSync): Writer<'disposition'> {
  const bind = db.prepare(
    `UPDATE OR IGNORE events SET disposition = 'bound', runtime_id = ? WHERE event_id = ?`,
  );
  const settle = db.prepare('UPDATE events SET disposition = ?, runtime_id = ? WHERE event_id = ?');
  return ({ eventId, disposition, runtimeId }) => {
    if (disposition === 'bound' && bind.run(runtimeId, eventId).changes > 0) return;
    // The runtime already has the same evidence from another path: this one becomes a duplicate. It
    // is in the timeline already, so refusing the batch would not help.
    settle.run(disposition === 'bound' ? 'duplicate' : disposition, runtimeId, eventId);
  };
}

export function prepareRareWriter(db: DatabaseSync): (change: RareChange) => void {
  const deleteTarget = db.prepare('DELETE FROM targets WHERE target_id = ?');
  const upsertSession = db.prepare(sessionSql);
  const insertBinding = db.prepare(bindingSql);
  const upsertChannel = db.prepare(channelSql);
  const writers: { readonly [Kind in RareChange['kind']]: Writer<Kind> } = {
    target: prepareTarget(db),
    target_removed: ({ targetId }) => {
      deleteTarget.run(targetId);
    },
    session: ({ sessionKey, runtimeId, agent, title, atMs }) => {
      upsertSession.run(sessionKey, runtimeId, agent, title, atMs);
    },
    binding: ({ paneKey, runtimeId, sessionKey, from, to, transition, atMs }) => {
      insertBinding.run(paneKey, runtimeId, sessionKey, from, to, transition, atMs);
    },
    disposition: prepareDisposition(db),
    channel: ({ channel, status, atMs }) => {
      upsertChannel.run(channel, status, atMs);
    },
  };
  return (change) => (writers[change.kind] as (change: RareChange) => void)(change);
}
