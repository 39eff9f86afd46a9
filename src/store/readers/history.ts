// Readers of the history: the steps of a pane's state, or of all panes, newest first. A pane's
// steps are a chain (see migration 2); those of all panes are the end of the table.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { HistoryQuery, HistoryStep } from '../../schema/history.ts';
import { type AgentName, id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import type { PaneRow } from '../../schema/pane.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';

export type HistoryReader = (query: HistoryQuery) => readonly HistoryStep[];

/** A caller that asks for more reads page by page; one answer never blocks the loop for long. */
const STEPS_MAX = 10_000;
/** Steps may be written late, out of the spool. After so many older ones nothing newer is left. */
const OLDER_STEPS_MAX = 1_000;

const stepSql = `
  SELECT h.id, h.previous_id, h.pane_key, h.runtime_id, r.agent_type, h.state, h.reason_code,
    h.presence, h.source, h.state_version, h.at
  FROM state_history h LEFT JOIN runtimes r ON r.runtime_id = h.runtime_id`;
type Columns = Record<string, SQLOutputValue>;
const text = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

// Only this program writes these columns, from values that their schemas have checked.
const stepOf = (row: Columns): HistoryStep => ({
  stepId: Number(row['id']),
  paneKey: id<PaneKey>(String(row['pane_key'])),
  runtimeId: text(row['runtime_id']) as RuntimeId | null,
  agent: text(row['agent_type']) as AgentName | null,
  state: row['state'] as PaneRow['state'],
  reasonCode: row['reason_code'] as PaneRow['reasonCode'],
  presence: row['presence'] as PaneRow['presence'],
  source: text(row['source']),
  stateVersion: Number(row['state_version']),
  atMs: Number(row['at']),
});

/**
 * Steps, newest first, without those that a later one replaced: while the daemon started or a
 * target was not reached the state was not known, and then it turned out to have been the same, or
 * another one since before.
 */
function* withoutReplaced(rows: Iterable<Columns>): Generator<HistoryStep> {
  const later = new Map<PaneKey, HistoryStep>();
  for (const row of rows) {
    const step = stepOf(row);
    const next = later.get(step.paneKey);
    const isSame = step.state === next?.state && step.reasonCode === next.reasonCode;
    const isReplaced = next && (step.atMs > next.atMs || (step.atMs === next.atMs && isSame));
    if (isReplaced) continue;
    later.set(step.paneKey, step);
    yield step;
  }
}

export function prepareHistoryReader(db: DatabaseSync, path: string): HistoryReader {
  const selectHead = db.prepare('SELECT history_id FROM states WHERE pane_key = ?');
  const selectStep = db.prepare(`${stepSql} WHERE h.id = ?`);
  const selectNewest = db.prepare(`${stepSql} WHERE h.id > 0 ORDER BY h.id DESC`);

  function* chainOf(paneKey: PaneKey): Generator<Columns> {
    let next = Number(selectHead.get(paneKey)?.['history_id'] ?? 0);
    while (next > 0) {
      const row = selectStep.get(next);
      // The chain ends where retention removed a row; another pane may have its number by now.
      if (row === undefined || row['pane_key'] !== paneKey) return;
      yield row;
      const previous = Number(row['previous_id'] ?? 0);
      next = previous < next ? previous : 0;
    }
  }

  return ({ paneKey, sinceMs = 0, limit }) =>
    guarded(path, () => {
      const count = Math.min(limit, STEPS_MAX);
      const rows = paneKey === undefined ? selectNewest.iterate() : chainOf(paneKey);
      const steps: HistoryStep[] = [];
      let olderSteps = 0;
      for (const step of withoutReplaced(rows)) {
        if (step.atMs < sinceMs) olderSteps += 1;
        else steps.push(step);
        if (steps.length >= count || olderSteps >= OLDER_STEPS_MAX) break;
      }
      return steps;
    });
}
