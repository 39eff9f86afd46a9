// The rows that answer for panes: written by compare-and-set on state_version, each change of the
// version kept as history. A batch writes each row once, with its last value.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Fault } from '../../platform/fault.ts';
import type { PaneKey } from '../../schema/ids.ts';
import type { PaneRow } from '../../schema/pane.ts';
import type { ChangeOf } from './frequent.ts';

type RowChange = ChangeOf<'row'>;

export interface StateWriter {
  /**
   * Takes one change of a row, with the change of its pane in the same batch, which is written
   * later; nothing reaches `states` before `flush`.
   */
  add(change: RowChange, pane: ChangeOf<'pane'> | undefined): void;
  flush(): void;
  /** Forgets what was added and not flushed: the batch was rolled back. */
  reset(): void;
}

// Numbered and not named: looking up eleven names for each row costs as much as writing it.
const insertSql = `
  INSERT INTO states (
    pane_key, target_id, pane_id, runtime_id, presence, state, reason_code, confidence,
    state_version, last_source_seq, last_seen_at, updated_at, body, history_id
  ) VALUES (
    ?1, (SELECT target_id FROM panes WHERE pane_key = ?1),
    (SELECT pane_id FROM panes WHERE pane_key = ?1), ?2, ?3, ?4, ?5, ?6, ?7,
    (SELECT last_source_seq FROM runtime_source_cursors WHERE runtime_id = ?2 AND source = ?8),
    ?9, ?10, ?11, ?12
  ) ON CONFLICT DO NOTHING`;

const updateSql = `
  UPDATE states SET runtime_id = ?2, presence = ?3, state = ?4, reason_code = ?5,
    confidence = ?6, state_version = ?7,
    last_source_seq = (SELECT last_source_seq FROM runtime_source_cursors
      WHERE runtime_id = ?2 AND source = ?8),
    last_seen_at = ?9, updated_at = ?10, body = ?11, history_id = coalesce(?12, history_id)
  WHERE pane_key = ?1 AND state_version = ?13`;

const historySql = `
  INSERT INTO state_history (
    pane_key, state_version, runtime_id, presence, state, reason_code, confidence, source,
    attention, event_id, at, previous_id, target_id, session_name
  ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
    coalesce(?12, (SELECT history_id FROM states WHERE pane_key = ?1)),
    coalesce(?13, (SELECT target_id FROM panes WHERE pane_key = ?1)),
    coalesce(?14, (SELECT session_name FROM panes WHERE pane_key = ?1)))`;

interface Pending {
  row: PaneRow;
  readonly expectedVersion: number | null;
  /** The last step of its history that this batch wrote; null: none yet. */
  historyId: number | null;
}

function stateParameters(paneKey: PaneKey, { row, historyId }: Pending): SQLInputValue[] {
  const { confidence, source, atMs } = row.evidence;
  return [
    ...[paneKey, row.runtimeId, row.presence, row.state, row.reasonCode, confidence],
    ...[row.stateVersion, source, atMs, row.updatedAtMs, JSON.stringify(row)],
    historyId,
  ];
}

function conflict(paneKey: PaneKey, expected: number | null): Fault {
  const wanted = expected === null ? 'no row' : `version ${expected}`;
  return new Fault('binding_cas_conflict', {
    about: `pane ${paneKey}`,
    detail: `${wanted} was expected`,
  });
}

export function prepareStateWriter(db: DatabaseSync): StateWriter {
  const insert = db.prepare(insertSql);
  const update = db.prepare(updateSql);
  const insertHistory = db.prepare(historySql);
  const pending = new Map<PaneKey, Pending>();

  const addHistory = (
    { paneKey, row, eventId, atMs }: RowChange,
    pane: ChangeOf<'pane'> | undefined,
    previousId: number | null,
  ): number => {
    const { lastInsertRowid } = insertHistory.run(
      ...[paneKey, row.stateVersion, row.runtimeId, row.presence, row.state, row.reasonCode],
      ...[row.evidence.confidence, row.evidence.source, JSON.stringify(row.attention.kinds)],
      ...[eventId, atMs, previousId, pane?.targetId ?? null],
      pane?.facts?.locations[0]?.sessionName ?? null,
    );
    return Number(lastInsertRowid);
  };

  return {
    add(change, pane) {
      const { paneKey, row, expectedVersion } = change;
      const earlier = pending.get(paneKey);
      const before = earlier ? earlier.row.stateVersion : expectedVersion;
      if (before !== expectedVersion) throw conflict(paneKey, expectedVersion);
      const entry: Pending = earlier ?? { row, expectedVersion, historyId: null };
      if (before === null || row.stateVersion > before) {
        entry.historyId = addHistory(change, pane, entry.historyId);
      }
      entry.row = row;
      pending.set(paneKey, entry);
    },
    flush() {
      for (const [paneKey, entry] of pending) {
        const { expectedVersion } = entry;
        const values = stateParameters(paneKey, entry);
        const { changes } =
          expectedVersion === null ? insert.run(...values) : update.run(...values, expectedVersion);
        if (changes === 0) throw conflict(paneKey, expectedVersion);
      }
      pending.clear();
    },
    reset: () => pending.clear(),
  };
}
