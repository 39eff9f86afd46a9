// Reader of agents that have ended, with what starts them again. The newest come first.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { EndedAgent } from '../../schema/history.ts';
import {
  type AgentName,
  id,
  type PaneKey,
  type RuntimeId,
  type TargetId,
} from '../../schema/ids.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';

export interface EndedAgentsQuery {
  /** Only those that ended at or after this time. */
  readonly sinceMs: number;
  readonly limit: number;
}

export type EndedAgentsReader = (query: EndedAgentsQuery) => readonly EndedAgent[];

const sql = `
  SELECT r.runtime_id, r.target_id, r.pane_key, r.pane_id, r.agent_type, r.started_at, r.ended_at,
    r.end_reason, r.session_key, r.last_prompt, r.last_path, r.server, r.session_name, s.title
  FROM runtimes r LEFT JOIN sessions s ON s.session_key = r.session_key
  WHERE r.ended_at >= ? ORDER BY r.ended_at DESC LIMIT ?`;

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

// Only this program writes these columns, from values that their schemas have checked.
const endedAgentOf = (row: Record<string, SQLOutputValue>): EndedAgent => ({
  runtimeId: id<RuntimeId>(String(row['runtime_id'])),
  targetId: id<TargetId>(String(row['target_id'])),
  paneKey: id<PaneKey>(String(row['pane_key'])),
  paneId: textOrNull(row['pane_id']),
  agent: id<AgentName>(String(row['agent_type'])),
  startedAtMs: Number(row['started_at']),
  endedAtMs: Number(row['ended_at']),
  endReason: textOrNull(row['end_reason']),
  title: textOrNull(row['title']),
  sessionKey: textOrNull(row['session_key']) as EndedAgent['sessionKey'],
  prompt: textOrNull(row['last_prompt']),
  path: textOrNull(row['last_path']),
  server: textOrNull(row['server']),
  sessionName: textOrNull(row['session_name']),
});

// A tmux server takes all its agents with it in one moment: of those the newest comes first.
const byEnd = (a: EndedAgent, b: EndedAgent): number =>
  b.endedAtMs - a.endedAtMs || b.startedAtMs - a.startedAtMs;

export function prepareEndedAgentsReader(db: DatabaseSync, path: string): EndedAgentsReader {
  const select = db.prepare(sql);
  return ({ sinceMs, limit }) =>
    guarded(path, () => select.all(sinceMs, limit).map(endedAgentOf).toSorted(byEnd));
}
