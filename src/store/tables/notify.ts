// What the notifier remembers over a restart. A decision and the deliveries that follow from it
// are one transaction, and each delivery says whether an attempt was begun: so none is lost and
// none is repeated. When to notify is decided in src/notify.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type Episode, episodeSchema } from '../../schema/notify/episode.ts';
import {
  emptyNotifyMemory,
  type NotifyCommit,
  type NotifyDelivery,
  type NotifyDeliveryStatus,
  type NotifyEntry,
  type NotifyMemory,
  notifyEntrySchema,
  notifyMemorySchema,
  type UserNotification,
  userNotificationSchema,
} from '../../schema/notify/user-notification.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';

/** Texts of agents are kept no longer than needed: of the newest few, and of open deliveries. */
const NOTIFICATIONS_MAX = 64;
const LISTED_MAX = 1_000;

export interface NotifyLogEntry extends NotifyEntry {
  readonly deliveries: readonly NotifyDelivery[];
}

export interface NotifyTable {
  /** A stored value that cannot be read is left out: it is of another version. */
  load(): { readonly memory: NotifyMemory; readonly episodes: readonly Episode[] };
  commit(step: NotifyCommit): void;
  /** Oldest first; of old ones only the deliveries are kept. */
  notificationsAfter(number: number): readonly UserNotification[];
  notification(number: number): UserNotification | null;
  /** What became of one notification. */
  deliveriesOf(number: number): readonly NotifyDelivery[];
  /** Those that are queued or under way. */
  openDeliveries(): readonly NotifyDelivery[];
  saveDelivery(delivery: NotifyDelivery): void;
  /** Newest first. */
  log(limit: number): readonly NotifyLogEntry[];
}

const memorySql = `
  INSERT INTO notify_memory (id, body) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
const episodeSql = `
  INSERT INTO notify_episodes (episode_id, body) VALUES (?, ?)
  ON CONFLICT (episode_id) DO UPDATE SET body = excluded.body`;
const deliverySql = `
  INSERT INTO notify_deliveries (number, channel, status, attempts, due_at, detail, changed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (number, channel) DO UPDATE SET status = excluded.status,
    attempts = excluded.attempts, due_at = excluded.due_at, detail = excluded.detail,
    changed_at = excluded.changed_at`;
const pruneSql = `
  DELETE FROM notifications WHERE number < ?1 AND NOT EXISTS (
    SELECT 1 FROM notify_deliveries AS d
    WHERE d.number = notifications.number AND d.status IN ('queued', 'started'))`;
const openSql = `SELECT * FROM notify_deliveries WHERE status IN ('queued', 'started')`;

export function prepareNotifyTable(db: DatabaseSync, path: string): NotifyTable {
  const selectMemory = db.prepare('SELECT body FROM notify_memory WHERE id = 1');
  const selectLast = db.prepare('SELECT max(number) AS number FROM notifications');
  const selectEpisodes = db.prepare('SELECT body FROM notify_episodes');
  const selectAfter = db.prepare('SELECT body FROM notifications WHERE number > ? ORDER BY number');
  const selectOne = db.prepare('SELECT body FROM notifications WHERE number = ?');
  const selectOpen = db.prepare(openSql);
  const selectLog = db.prepare('SELECT body FROM notify_log ORDER BY id DESC LIMIT ?');
  const selectDeliveries = db.prepare('SELECT * FROM notify_deliveries WHERE number = ?');
  const saveDelivery = db.prepare(deliverySql);
  const commit = prepareStep(db);
  return {
    load: () =>
      guarded(path, () => ({
        memory: withLastNumber(
          bodiesOf(selectMemory.all(), notifyMemorySchema)[0] ?? emptyNotifyMemory,
          Number(selectLast.get()?.['number'] ?? 0),
        ),
        episodes: bodiesOf(selectEpisodes.all(), episodeSchema),
      })),
    commit: (step) => guarded(path, () => inTransaction(db, () => commit(step))),
    notificationsAfter: (number) =>
      guarded(path, () => bodiesOf(selectAfter.all(number), userNotificationSchema)),
    notification: (number) =>
      guarded(path, () => bodiesOf(selectOne.all(number), userNotificationSchema)[0] ?? null),
    deliveriesOf: (number) => guarded(path, () => selectDeliveries.all(number).map(deliveryOf)),
    openDeliveries: () => guarded(path, () => selectOpen.all().map(deliveryOf)),
    saveDelivery: (delivery) =>
      guarded(path, () => {
        saveDelivery.run(...valuesOf(delivery));
      }),
    log: (limit) =>
      guarded(path, () =>
        bodiesOf(selectLog.all(Math.min(limit, LISTED_MAX)), notifyEntrySchema).map((entry) => {
          const rows = entry.number === null ? [] : selectDeliveries.all(entry.number);
          return { ...entry, deliveries: rows.map(deliveryOf) };
        }),
      ),
  };
}

function prepareStep(db: DatabaseSync): (step: NotifyCommit) => void {
  const saveMemory = db.prepare(memorySql);
  const saveEpisode = db.prepare(episodeSql);
  const forget = db.prepare('DELETE FROM notify_episodes WHERE episode_id = ?');
  const insert = db.prepare('INSERT INTO notifications (number, at, body) VALUES (?, ?, ?)');
  const prune = db.prepare(pruneSql);
  const saveDelivery = db.prepare(deliverySql);
  const insertEntry = db.prepare('INSERT INTO notify_log (at, number, body) VALUES (?, ?, ?)');
  return ({ atMs, ...step }) => {
    saveMemory.run(JSON.stringify(step.memory));
    for (const each of step.changedEpisodes) saveEpisode.run(each.episodeId, JSON.stringify(each));
    for (const episodeId of step.forgottenIds) forget.run(episodeId);
    for (const entry of step.entries) insertEntry.run(atMs, entry.number, JSON.stringify(entry));
    for (const each of step.notifications) insert.run(each.number, atMs, JSON.stringify(each));
    for (const { number, channel } of step.deliveries) {
      saveDelivery.run(number, channel, 'queued', 0, atMs, null, atMs);
    }
    if (step.notifications.length > 0) prune.run(step.memory.sentCount - NOTIFICATIONS_MAX);
  };
}

/** No number is used twice, also where the memory could not be read. */
const withLastNumber = (memory: NotifyMemory, lastNumber: number): NotifyMemory => ({
  ...memory,
  sentCount: Math.max(memory.sentCount, lastNumber),
});

interface Shape<T> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: T | undefined };
}

function bodiesOf<T>(rows: readonly Record<string, SQLOutputValue>[], shape: Shape<T>): T[] {
  return rows.flatMap(({ body }) => {
    const { data } = shape.safeParse(parsed(String(body)));
    return data === undefined ? [] : [data];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const valuesOf = (delivery: NotifyDelivery) =>
  [
    delivery.number,
    delivery.channel,
    delivery.status,
    delivery.attemptCount,
    delivery.dueAtMs,
    delivery.detail,
    delivery.changedAtMs,
  ] as const;

const deliveryOf = (row: Record<string, SQLOutputValue>): NotifyDelivery => ({
  number: Number(row['number']),
  channel: String(row['channel']),
  status: row['status'] as NotifyDeliveryStatus,
  attemptCount: Number(row['attempts']),
  dueAtMs: Number(row['due_at']),
  detail: typeof row['detail'] === 'string' ? row['detail'] : null,
  changedAtMs: Number(row['changed_at']),
});
