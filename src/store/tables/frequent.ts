// Writers of what changes often: panes, runtimes and cursors. Each writes the whole value of its
// key; changes.ts sees to it that a batch writes a key once.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Change, RuntimeRow } from '../../schema/change.ts';

export type ChangeOf<Kind extends Change['kind']> = Extract<Change, { kind: Kind }>;

const paneSql = `
  INSERT INTO panes (
    pane_key, target_id, server, generation_pid, generation_started_at, pane_id, birth_pid,
    birth_started_at, session_name, window_id, window_name, locations, title, command, path, dead,
    opaque, gone_at, updated_at
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (pane_key) DO UPDATE SET
    session_name = excluded.session_name, window_id = excluded.window_id,
    window_name = excluded.window_name, locations = excluded.locations, title = excluded.title,
    command = excluded.command, path = excluded.path, dead = excluded.dead,
    opaque = excluded.opaque, gone_at = excluded.gone_at, updated_at = excluded.updated_at`;

const runtimeSql = `
  INSERT INTO runtimes (
    runtime_id, target_id, pane_key, pane_id, pane_epoch, agent_type, pid, started_at, ended_at,
    end_reason, session_key, last_prompt, last_path, server, session_name
  ) VALUES (
    ?1, ?2, ?3, (SELECT pane_id FROM panes WHERE pane_key = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
    ?12, ?13, ?14
  )
  ON CONFLICT (runtime_id) DO UPDATE SET
    pane_epoch = excluded.pane_epoch, pid = excluded.pid, started_at = excluded.started_at,
    ended_at = excluded.ended_at, end_reason = excluded.end_reason,
    session_key = excluded.session_key, last_prompt = excluded.last_prompt,
    last_path = excluded.last_path, server = excluded.server,
    session_name = excluded.session_name`;

const cursorSql = `
  INSERT INTO runtime_source_cursors (
    runtime_id, source, last_source_seq, last_order_event_time, last_order_ingested_at,
    last_order_event_id
  ) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (runtime_id, source) DO UPDATE SET
    last_source_seq = excluded.last_source_seq,
    last_order_event_time = excluded.last_order_event_time,
    last_order_ingested_at = excluded.last_order_ingested_at,
    last_order_event_id = excluded.last_order_event_id`;

function paneParameters({
  paneKey,
  facts,
  targetId,
  goneAtMs,
  atMs,
}: ChangeOf<'pane'>): SQLInputValue[] {
  if (facts === null) {
    return [paneKey, targetId, ...Array<null>(15).fill(null), goneAtMs, atMs];
  }
  // A pane may be shown in several places; the columns name the one where it is active.
  const place = facts.locations.find((each) => each.active) ?? facts.locations[0];
  return [
    ...[paneKey, targetId, facts.server, facts.generation.pid, facts.generation.startedAtMs],
    ...[facts.paneId, facts.birth.pid, facts.birth.startedAtMs, place?.sessionName ?? null],
    ...[place?.windowId ?? null, place?.windowName ?? null, JSON.stringify(facts.locations)],
    ...[facts.title, facts.command, facts.path, Number(facts.dead), Number(facts.opaque)],
    ...[goneAtMs, atMs],
  ];
}

function lastParameters({ last }: RuntimeRow): SQLInputValue[] {
  if (last === null) return Array<null>(5).fill(null);
  return [last.sessionKey, last.prompt, last.path, last.server, last.sessionName];
}

export interface FrequentWriters {
  pane(change: ChangeOf<'pane'>): void;
  runtime(runtime: RuntimeRow): void;
  cursor(change: ChangeOf<'cursor'>): void;
}

export function prepareFrequentWriters(db: DatabaseSync): FrequentWriters {
  const pane = db.prepare(paneSql);
  const runtime = db.prepare(runtimeSql);
  const cursor = db.prepare(cursorSql);
  return {
    pane: (change) => {
      pane.run(...paneParameters(change));
    },
    runtime: (row) => {
      runtime.run(
        ...[row.runtimeId, row.targetId, row.paneKey, row.paneEpoch, row.agent, row.pid],
        ...[row.startedAtMs, row.endedAtMs, row.endReason, ...lastParameters(row)],
      );
    },
    cursor: ({ runtimeId, source, cursor: at }) => {
      cursor.run(runtimeId, source, at.sourceSeq, at.eventTimeMs, at.ingestedAtMs, at.eventId);
    },
  };
}
