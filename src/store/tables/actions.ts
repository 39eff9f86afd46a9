// The audit trail: every action that was asked for, by whom, and what came of it. The intent is
// written before the first key, so that a crash leaves a row without an outcome.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ActionIntent, ActionReport } from '../../schema/api/acting.ts';
import type { PaneKey } from '../../schema/ids.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';
import { isoTime, isoTimeOrNull } from './iso-time.ts';

export interface ActionOutcome {
  readonly result: NonNullable<ActionReport['result']>;
  readonly code: string | null;
  readonly detail: string;
  /** Null for one that is queued. */
  readonly atMs: number | null;
}

export interface ActionTable {
  /** Stores what is asked for, with the snapshot it is based on. */
  begin(intent: ActionIntent): void;
  finish(actionId: string, outcome: ActionOutcome): ActionReport;
  /** The action that used this request_ref before, with its input as it was stored. */
  byRequestRef(requestRef: string): { report: ActionReport; input: string } | null;
  /** Newest first. */
  list(query: { readonly paneKey: PaneKey | null; readonly limit: number }): ActionReport[];
  /** Actions of an earlier life of the daemon without an outcome: nobody knows what they did. */
  closeOpen(atMs: number): number;
}

const beginSql = `
  INSERT INTO actions
    (action_id, request_ref, kind, pane_key, runtime_id, snapshot_id, asked_by, input, asked_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const snapshotSql = `
  INSERT INTO action_snapshots
    (snapshot_id, target_id, pane_key, pane_id, runtime_id, state_version, observed_at,
      expires_at, nonce)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const finishSql = `
  UPDATE actions SET result = ?2, result_code = ?3, detail = ?4, done_at = ?5
  WHERE action_id = ?1 RETURNING *`;
const closeSql = `
  UPDATE actions SET result = 'unconfirmed', done_at = ?,
    detail = 'the daemon ended before the outcome was known'
  WHERE asked_at >= 0 AND done_at IS NULL AND result IS NULL`;
const listSql = 'SELECT * FROM actions WHERE asked_at >= 0 ORDER BY asked_at DESC LIMIT ?';
const listPaneSql = `
  SELECT * FROM actions WHERE pane_key = ? ORDER BY asked_at DESC LIMIT ?`;

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

const reportOf = (row: Record<string, SQLOutputValue>): ActionReport => ({
  action_id: String(row['action_id']),
  request_ref: textOrNull(row['request_ref']),
  kind: row['kind'] as ActionReport['kind'],
  pane_key: String(row['pane_key']),
  runtime_id: textOrNull(row['runtime_id']),
  actor: String(row['asked_by']),
  input: String(row['input']),
  asked_at: isoTime(Number(row['asked_at'])),
  result: textOrNull(row['result']) as ActionReport['result'],
  code: textOrNull(row['result_code']),
  detail: textOrNull(row['detail']),
  done_at: isoTimeOrNull(row['done_at']),
});

export function prepareActionTable(db: DatabaseSync, path: string): ActionTable {
  const begin = db.prepare(beginSql);
  const snapshot = db.prepare(snapshotSql);
  const finish = db.prepare(finishSql);
  const select = db.prepare('SELECT * FROM actions WHERE request_ref = ?');
  const list = db.prepare(listSql);
  const listPane = db.prepare(listPaneSql);
  const close = db.prepare(closeSql);
  const write = <T>(work: () => T): T => guarded(path, () => inTransaction(db, work));
  return {
    begin: (intent) =>
      write(() => {
        const { snapshot: seen, paneId } = intent;
        snapshot.run(
          ...[seen.snapshotId, seen.targetId, seen.paneKey, paneId, seen.runtimeId],
          ...[seen.stateVersion, seen.observedAtMs, seen.expiresAtMs, seen.nonce],
        );
        begin.run(
          ...[intent.actionId, intent.requestRef, intent.kind, seen.paneKey, seen.runtimeId],
          ...[seen.snapshotId, intent.actor, intent.input, seen.observedAtMs],
        );
      }),
    finish: (actionId, { result, code, detail, atMs }) =>
      write(() => {
        const row = finish.get(actionId, result, code, detail, atMs);
        if (row === undefined) throw new Error(`action ${actionId} was never begun`);
        return reportOf(row);
      }),
    byRequestRef: (requestRef) =>
      guarded(path, () => {
        const row = select.get(requestRef);
        return row === undefined ? null : { report: reportOf(row), input: String(row['input']) };
      }),
    list: ({ paneKey, limit }) =>
      guarded(path, () => {
        const rows = paneKey === null ? list.all(limit) : listPane.all(paneKey, limit);
        return rows.map(reportOf);
      }),
    closeOpen: (atMs) => write(() => Number(close.run(atMs).changes)),
  };
}
