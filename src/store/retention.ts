// Retention in small batches, because node:sqlite blocks the loop: one call does at most
// `batchRows` rows in one transaction and says whether more is due. Events go only when the oldest
// kept snapshot holds them already, so snapshot plus tail always gives the world.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { guarded } from './sqlite/sqlite-fault.ts';
import { inTransaction } from './sqlite/transaction.ts';
import type { Meta } from './tables/meta.ts';

const DAY_MS = 86_400_000;

export interface RetentionOptions {
  readonly nowMs: number;
  /** Payloads are the most private part and the largest. */
  readonly payloadMs?: number;
  readonly metadataMs?: number;
  readonly batchRows?: number;
}

const defaults = { payloadMs: 7 * DAY_MS, metadataMs: 14 * DAY_MS, batchRows: 500 };

export interface RetentionReport {
  /** Rows that each part looked after in this call; a part with none is not listed. */
  readonly rows: Readonly<Partial<Record<RetentionPart, number>>>;
  /** Another call has work to do. */
  readonly more: boolean;
}

type RetentionPart = keyof ReturnType<typeof prepareSteps>;

interface Ages {
  readonly olderThanMs: number;
}

/** Handles up to `limit` rows of one part and returns how many. */
type Step = (limit: number, ages: Ages) => number;

// Logs are cut from their start and never in the middle: the timeline has no gaps. Keys grow, so
// every row before an old row is old too, also where a clock was wrong for a while.
function lastDue(rows: readonly Record<string, unknown>[], { olderThanMs }: Ages) {
  const count = rows.findLastIndex((row) => Number(row['at']) < olderThanMs) + 1;
  return { count, key: Number(rows[count - 1]?.['key'] ?? 0) };
}

function preparePayloads(db: DatabaseSync, meta: Meta): Step {
  const select = db.prepare(
    'SELECT seq AS key, ingested_at AS at FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const clear = db.prepare(
    `UPDATE events SET raw_payload = NULL
      WHERE seq > ? AND seq <= ? AND raw_payload IS NOT NULL`,
  );
  return (limit, ages) => {
    const clearedSeq = meta.read('clearedSeq');
    const due = lastDue(select.all(clearedSeq, limit), ages);
    if (due.count === 0) return 0;
    clear.run(clearedSeq, due.key);
    meta.write('clearedSeq', due.key);
    return due.count;
  };
}

function prepareEvents(db: DatabaseSync, meta: Meta): Step {
  // The event of the snapshot itself stays: the table is never empty and a seq never used twice.
  const select = db.prepare(
    `SELECT seq AS key, ingested_at AS at FROM events
      WHERE seq < (SELECT min(seq) FROM snapshots WHERE is_kept = 1) ORDER BY seq LIMIT ?`,
  );
  const remove = db.prepare('DELETE FROM events WHERE seq <= ?');
  return (limit, ages) => {
    const due = lastDue(select.all(limit), ages);
    if (due.count === 0) return 0;
    remove.run(due.key);
    meta.write('prunedSeq', due.key);
    return due.count;
  };
}

function prepareLog(select: StatementSync, remove: StatementSync): Step {
  return (limit, ages) => {
    const due = lastDue(select.all(limit), ages);
    if (due.count > 0) remove.run(due.key);
    return due.count;
  };
}

// An ended runtime goes with the rows that belong only to it.
function prepareRuntimes(db: DatabaseSync): Step {
  const select = db.prepare(
    'SELECT runtime_id FROM runtimes WHERE ended_at < ? ORDER BY ended_at LIMIT ?',
  );
  const removals = ['runtime_source_cursors', 'sessions', 'runtimes'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE runtime_id = ?`),
  );
  return (limit, { olderThanMs }) => {
    const ended = select.all(olderThanMs, limit);
    for (const { runtime_id: runtimeId = null } of ended) {
      for (const remove of removals) remove.run(runtimeId);
    }
    return ended.length;
  };
}

function prepareAged(remove: StatementSync): Step {
  return (limit, { olderThanMs }) => Number(remove.run(olderThanMs, limit).changes);
}

// A message goes with its delivery.
function prepareDeliveries(db: DatabaseSync): Step {
  return prepareAged(
    db.prepare(
      `DELETE FROM messages WHERE message_id IN (
        SELECT message_id FROM deliveries WHERE settled_at < ? AND due_at IS NOT NULL
          ORDER BY settled_at LIMIT ?)`,
    ),
  );
}

// A message stays as long as one of its recipients has it still to come, or got it lately.
function prepareMessages(db: DatabaseSync): Step {
  return prepareAged(
    db.prepare(
      `DELETE FROM messages WHERE message_id IN (
        SELECT old.message_id FROM deliveries AS old
          WHERE old.settled_at < ?1 AND old.place IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM deliveries AS other WHERE other.message_id = old.message_id
              AND (other.settled_at IS NULL OR other.settled_at >= ?1))
          ORDER BY old.settled_at LIMIT ?2)`,
    ),
  );
}

// Numbers grow with time, and a delivery that is still open is younger than a day.
function prepareNotifyDeliveries(db: DatabaseSync): Step {
  const select = db.prepare(
    'SELECT number AS key, changed_at AS at FROM notify_deliveries ORDER BY number LIMIT ?',
  );
  return prepareLog(select, db.prepare('DELETE FROM notify_deliveries WHERE number <= ?'));
}

function prepareSteps(db: DatabaseSync, meta: Meta) {
  const log = (table: string, time = 'at'): Step =>
    prepareLog(
      db.prepare(`SELECT id AS key, ${time} AS at FROM ${table} ORDER BY id LIMIT ?`),
      db.prepare(`DELETE FROM ${table} WHERE id <= ?`),
    );
  const aged = (table: string, key: string, time: string): Step =>
    prepareAged(
      db.prepare(
        `DELETE FROM ${table} WHERE ${key} IN (
          SELECT ${key} FROM ${table} WHERE ${time} < ? ORDER BY ${time} LIMIT ?)`,
      ),
    );
  return {
    payloads: preparePayloads(db, meta),
    events: prepareEvents(db, meta),
    state_history: log('state_history'),
    daemon_runs: log('daemon_runs', 'alive_at'),
    bindings: log('bindings'),
    runtimes: prepareRuntimes(db),
    actions: aged('actions', 'action_id', 'done_at'),
    deliveries: prepareDeliveries(db),
    messages: prepareMessages(db),
    alerts: aged('alerts', 'alert_id', 'resolved_at'),
    notify_log: log('notify_log'),
    notify_deliveries: prepareNotifyDeliveries(db),
    action_snapshots: aged('action_snapshots', 'snapshot_id', 'expires_at'),
    snapshots: prepareLog(
      db.prepare(
        `SELECT id AS key, at FROM snapshots
            WHERE id < (SELECT min(id) FROM snapshots WHERE is_kept = 1)
            ORDER BY id LIMIT ?`,
      ),
      db.prepare('DELETE FROM snapshots WHERE id <= ?'),
    ),
  } satisfies Readonly<Record<string, Step>>;
}

export function prepareRetention(
  db: DatabaseSync,
  path: string,
  meta: Meta,
): (options: RetentionOptions) => RetentionReport {
  const steps = prepareSteps(db, meta);
  return (options) => {
    const { nowMs, payloadMs, metadataMs, batchRows } = { ...defaults, ...options };
    const run = (): RetentionReport => {
      const rows: Partial<Record<RetentionPart, number>> = {};
      let left = batchRows;
      for (const part of Object.keys(steps) as RetentionPart[]) {
        const keptMs = part === 'payloads' ? payloadMs : metadataMs;
        const count = steps[part](left, { olderThanMs: nowMs - keptMs });
        if (count > 0) rows[part] = count;
        left -= count;
        if (left === 0) break;
      }
      return { rows, more: left === 0 };
    };
    return guarded(path, () => inTransaction(db, run));
  };
}
