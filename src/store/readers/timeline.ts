// The steps of all panes as they were written, newest first, one page at a time: what the sums of
// `history --summary` are made of. A page is small, so that nothing else waits long for it.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { TimelineStep } from '../../schema/history.ts';
import { type AgentName, id, type PaneKey, type TargetId } from '../../schema/ids.ts';
import type { PaneRow } from '../../schema/pane.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';

export interface TimelineReader {
  /** At most `limit` steps written before `beforeId` (null: the newest), newest first. */
  page(beforeId: number | null, limit: number): readonly TimelineStep[];
  step(stepId: number): TimelineStep | null;
  /** The newest step of every pane that is there. */
  heads(): ReadonlyMap<PaneKey, number>;
}

const PAGE_STEPS_MAX = 10_000;

const stepSql = `
  SELECT h.id, h.previous_id, h.pane_key, r.agent_type, h.target_id, h.session_name, h.state,
    h.reason_code, h.presence, h.at,
    CASE WHEN p.state = 'unknown' AND p.at >= h.at AND p.pane_key = h.pane_key
      THEN (SELECT e.ingested_at FROM events e WHERE e.event_id = h.event_id) END AS learned_at
  FROM state_history h
    LEFT JOIN runtimes r ON r.runtime_id = h.runtime_id
    LEFT JOIN state_history p ON p.id = h.previous_id`;

type Columns = Record<string, SQLOutputValue>;
const textOf = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;
const numberOf = (value: SQLOutputValue | undefined): number | null =>
  typeof value === 'number' ? value : null;

// Only this program writes these columns, from values that their schemas have checked.
const stepOf = (row: Columns): TimelineStep => ({
  id: Number(row['id']),
  previousId: numberOf(row['previous_id']),
  paneKey: id<PaneKey>(String(row['pane_key'])),
  agent: textOf(row['agent_type']) as AgentName | null,
  targetId: textOf(row['target_id']) as TargetId | null,
  sessionName: textOf(row['session_name']),
  state: row['state'] as PaneRow['state'],
  reasonCode: row['reason_code'] as PaneRow['reasonCode'],
  presence: row['presence'] as PaneRow['presence'],
  atMs: Number(row['at']),
  learnedAtMs: numberOf(row['learned_at']),
});

export function prepareTimelineReader(db: DatabaseSync, path: string): TimelineReader {
  const selectPage = db.prepare(`${stepSql} WHERE h.id < ? ORDER BY h.id DESC LIMIT ?`);
  const selectStep = db.prepare(`${stepSql} WHERE h.id = ?`);
  const selectHeads = db.prepare('SELECT pane_key, history_id FROM states');
  return {
    page: (beforeId, limit) =>
      guarded(path, () =>
        selectPage
          .all(beforeId ?? Number.MAX_SAFE_INTEGER, Math.min(limit, PAGE_STEPS_MAX))
          .map(stepOf),
      ),
    step: (stepId) =>
      guarded(path, () => {
        const row = selectStep.get(stepId);
        return row === undefined ? null : stepOf(row);
      }),
    heads: () =>
      guarded(path, () => {
        const heads = new Map<PaneKey, number>();
        for (const { pane_key: paneKey, history_id: stepId } of selectHeads.all()) {
          if (stepId !== null) heads.set(id<PaneKey>(String(paneKey)), Number(stepId));
        }
        return heads;
      }),
  };
}
