// The ledger of alerts: at most one open alert for each (code, about), opened, updated,
// acknowledged and resolved. When to do so is decided by daemon/health/alerts.ts.

import { createHash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { AlertItem } from '../../schema/api/health.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';
import { isoTime, isoTimeOrNull } from './iso-time.ts';

export interface AlertReport {
  readonly code: string;
  /** The noun: which channel, which server, which file. */
  readonly about: string;
  readonly level: AlertItem['level'];
  readonly detail: string | null;
  readonly atMs: number;
}

export interface AlertQuery {
  readonly includeResolved: boolean;
}

export interface AlertTable {
  /** Opens an alert, or updates the open one of the same code and noun. */
  open(report: AlertReport): AlertItem;
  /** Null: there is no such alert, or it is resolved. */
  acknowledge(alertId: string, atMs: number): AlertItem | null;
  resolve(alertId: string, by: 'auto' | 'operator', atMs: number): AlertItem | null;
  /** Open ones first, then the newest resolved ones; each part newest first and bounded. */
  list(query: AlertQuery): readonly AlertItem[];
}

const LISTED_MAX = 500;

// The same alert opened again within the millisecond of its end is that alert going on.
const openSql = `
  INSERT INTO alerts (alert_id, code, about, level, detail, opened_at, updated_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
  ON CONFLICT (code, about) WHERE resolved_at IS NULL DO UPDATE SET
    level = excluded.level, detail = excluded.detail, updated_at = excluded.updated_at
  ON CONFLICT (alert_id) DO UPDATE SET
    level = excluded.level, detail = excluded.detail, resolved_at = NULL, resolved_by = NULL
  RETURNING *`;
const acknowledgeSql = `
  UPDATE alerts SET acknowledged_at = coalesce(acknowledged_at, ?2), updated_at = ?2
  WHERE alert_id = ?1 AND resolved_at IS NULL RETURNING *`;
const resolveSql = `
  UPDATE alerts SET resolved_at = ?3, resolved_by = ?2, updated_at = ?3
  WHERE alert_id = ?1 AND resolved_at IS NULL RETURNING *`;
const resolvedSql = `
  SELECT * FROM alerts WHERE resolved_at > 0 ORDER BY resolved_at DESC LIMIT ?`;

/** Short enough to type, and the same for the same alert. */
const idOf = ({ code, about, atMs }: AlertReport): string =>
  createHash('sha256').update(`${atMs} ${code} ${about}`).digest('hex').slice(0, 10);

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

const itemOf = (row: Record<string, SQLOutputValue>): AlertItem => ({
  alert_id: String(row['alert_id']),
  code: String(row['code']),
  about: String(row['about']),
  level: row['level'] as AlertItem['level'],
  detail: textOrNull(row['detail']),
  opened_at: isoTime(Number(row['opened_at'])),
  updated_at: isoTime(Number(row['updated_at'])),
  acknowledged_at: isoTimeOrNull(row['acknowledged_at']),
  resolved_at: isoTimeOrNull(row['resolved_at']),
  resolved_by: row['resolved_by'] as AlertItem['resolved_by'],
});

export function prepareAlertTable(db: DatabaseSync, path: string): AlertTable {
  const open = db.prepare(openSql);
  const acknowledge = db.prepare(acknowledgeSql);
  const resolve = db.prepare(resolveSql);
  const selectOpen = db.prepare('SELECT * FROM alerts WHERE resolved_at IS NULL LIMIT ?');
  const selectResolved = db.prepare(resolvedSql);
  const itemOrNull = (row: Record<string, SQLOutputValue> | undefined): AlertItem | null =>
    row === undefined ? null : itemOf(row);

  // A statement that returns rows ends without an error when its own commit fails; COMMIT does not.
  const write = <T>(work: () => T): T => guarded(path, () => inTransaction(db, work));

  return {
    open: (report) =>
      write(() => {
        const { code, about, level, detail, atMs } = report;
        const row = open.get(idOf(report), code, about, level, detail, atMs);
        if (row === undefined) throw new Error(`alert ${code} about ${about} was not written`);
        return itemOf(row);
      }),
    acknowledge: (alertId, atMs) => write(() => itemOrNull(acknowledge.get(alertId, atMs))),
    resolve: (alertId, by, atMs) => write(() => itemOrNull(resolve.get(alertId, by, atMs))),
    list: ({ includeResolved }) =>
      guarded(path, () => {
        const opened = selectOpen.all(LISTED_MAX).map(itemOf);
        const resolved = includeResolved ? selectResolved.all(LISTED_MAX).map(itemOf) : [];
        opened.sort((a, b) => b.opened_at.localeCompare(a.opened_at));
        return [...opened, ...resolved];
      }),
  };
}
