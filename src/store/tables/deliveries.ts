// Queued prompts. Each is written before its caller gets a reply, its intent before anything is
// typed, and its outcome together with the one in the audit trail.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Delivery, DeliveryStatus } from '../../schema/action.ts';
import { id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';

export interface DeliveryOutcome {
  readonly status: Exclude<DeliveryStatus, 'waiting' | 'typing'>;
  /** The code of a refusal. */
  readonly code: string | null;
  readonly detail: string;
  readonly atMs: number;
}

export interface DeliveryTable {
  /** Its action in the audit trail becomes `queued`. */
  add(delivery: Delivery): void;
  /** From here on it is typed once or not at all; false when it is settled or typed already. */
  begin(deliveryId: string, atMs: number): boolean;
  /** Writes the outcome, also in the audit trail, and forgets the text. */
  settle(delivery: Delivery, outcome: DeliveryOutcome): void;
  find(deliveryId: string): Delivery | null;
  /** Every one that is not settled, in the order of their time. */
  open(): Delivery[];
  /** The newest first. */
  settled(limit: number): Delivery[];
}

const columns = `
  d.message_id, d.action_id, d.recipient, d.pane_key, m.sender, m.body, d.presses_enter,
  d.is_paste_safe, d.moment, m.created_at, d.due_at, d.expires_at, d.status, d.detail, d.settled_at
  FROM deliveries d JOIN messages m ON m.message_id = d.message_id`;
const messageSql = `
  INSERT INTO messages (message_id, thread_id, sender, body, created_at, deadline_at)
  VALUES (?1, ?1, ?2, ?3, ?4, ?5)`;
const addSql = `
  INSERT INTO deliveries (message_id, recipient, status, detail, pane_key, action_id, moment,
    presses_enter, is_paste_safe, due_at, expires_at)
  VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?)`;
const queuedSql = `UPDATE actions SET result = 'queued', detail = ? WHERE action_id = ?`;
const beginSql = `
  UPDATE deliveries SET status = 'typing', attempt_count = attempt_count + 1, intent_at = ?2
  WHERE message_id = ?1 AND intent_at IS NULL AND settled_at IS NULL`;
const settleSql = `
  UPDATE deliveries SET status = ?, detail = ?, settled_at = ? WHERE message_id = ?`;
const forgetSql = `UPDATE messages SET body = '' WHERE message_id = ?`;
const finishSql = `
  UPDATE actions SET result = ?, result_code = ?, detail = ?, done_at = ? WHERE action_id = ?`;

const textOf = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

const deliveryOf = (row: Record<string, SQLOutputValue>): Delivery => ({
  deliveryId: String(row['message_id']),
  actionId: String(row['action_id']),
  runtimeId: id<RuntimeId>(String(row['recipient'])),
  paneKey: id<PaneKey>(String(row['pane_key'])),
  actor: String(row['sender']),
  text: String(row['body']),
  pressesEnter: row['presses_enter'] === 1,
  isPasteSafe: row['is_paste_safe'] === 1,
  moment: row['moment'] as Delivery['moment'],
  queuedAtMs: Number(row['created_at']),
  dueAtMs: Number(row['due_at']),
  expiresAtMs: Number(row['expires_at']),
  status: row['status'] as DeliveryStatus,
  detail: textOf(row['detail']),
  settledAtMs: row['settled_at'] === null ? null : Number(row['settled_at']),
});

const resultOf = (status: DeliveryOutcome['status']) =>
  status === 'delivered' || status === 'unconfirmed' ? status : 'refused';

export function prepareDeliveryTable(db: DatabaseSync, path: string): DeliveryTable {
  const message = db.prepare(messageSql);
  const add = db.prepare(addSql);
  const queued = db.prepare(queuedSql);
  const begin = db.prepare(beginSql);
  const settle = db.prepare(settleSql);
  const forget = db.prepare(forgetSql);
  const finish = db.prepare(finishSql);
  const find = db.prepare(`SELECT ${columns} WHERE d.message_id = ? AND d.due_at IS NOT NULL`);
  const open = db.prepare(
    `SELECT ${columns} WHERE d.due_at >= 0 AND d.settled_at IS NULL ORDER BY d.due_at`,
  );
  const settled = db.prepare(
    `SELECT ${columns} WHERE d.settled_at >= 0 AND d.due_at IS NOT NULL
      ORDER BY d.settled_at DESC LIMIT ?`,
  );
  const write = <T>(work: () => T): T => guarded(path, () => inTransaction(db, work));
  return {
    add: (each) =>
      write(() => {
        message.run(each.deliveryId, each.actor, each.text, each.queuedAtMs, each.expiresAtMs);
        add.run(
          ...[each.deliveryId, each.runtimeId, each.detail, each.paneKey, each.actionId],
          ...[each.moment, Number(each.pressesEnter), Number(each.isPasteSafe)],
          ...[each.dueAtMs, each.expiresAtMs],
        );
        queued.run(each.detail, each.actionId);
      }),
    begin: (deliveryId, atMs) => write(() => Number(begin.run(deliveryId, atMs).changes) === 1),
    settle: ({ deliveryId, actionId }, { status, code, detail, atMs }) =>
      write(() => {
        settle.run(status, detail, atMs, deliveryId);
        forget.run(deliveryId);
        finish.run(resultOf(status), code, detail, atMs, actionId);
      }),
    find: (deliveryId) =>
      guarded(path, () => {
        const row = find.get(deliveryId);
        return row === undefined ? null : deliveryOf(row);
      }),
    open: () => guarded(path, () => open.all().map(deliveryOf)),
    settled: (limit) => guarded(path, () => settled.all(limit).map(deliveryOf)),
  };
}
