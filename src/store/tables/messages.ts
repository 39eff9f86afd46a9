// Messages and their receipts. A message is written with all of its receipts before its sender gets
// a reply; the intent of a delivery before anything is typed, and once only.

import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { id, type PaneKey, type PartyId, type RuntimeId } from '../../schema/ids.ts';
import type {
  MessageRecord,
  Receipt,
  ReceiptStatus,
  ReplyChannel,
  StoredMessage,
} from '../../schema/relay/message.ts';
import { guarded } from '../sqlite/sqlite-fault.ts';
import { inTransaction } from '../sqlite/transaction.ts';

export type ReceiptKey = Pick<Receipt, 'messageId' | 'recipient'>;

export interface ReceiptOutcome {
  readonly status: Exclude<ReceiptStatus, 'queued' | 'delivering'>;
  readonly code: string | null;
  readonly detail: string;
  readonly replyChannel: ReplyChannel | null;
  readonly atMs: number;
}

/** What is typed together, and where. */
export interface BatchIntent {
  readonly batchId: string;
  readonly paneKey: PaneKey | null;
  readonly runtimeId: RuntimeId | null;
  readonly atMs: number;
}

export interface MailQuery {
  /** Null: everybody's. */
  readonly party: PartyId | null;
  readonly box: 'inbox' | 'sent' | 'all';
  readonly isUnreadOnly: boolean;
  readonly threadId: string | null;
  readonly limit: number;
}

export interface MessageTable {
  /** Writes a message and its receipts in their order; returns it with their places. */
  add(message: MessageRecord, receipts: readonly NewReceipt[]): StoredMessage;
  find(messageId: string): StoredMessage | null;
  byRequest(sender: PartyId, requestRef: string): StoredMessage | null;
  /** Receipts that are not settled, in their order. */
  open(): Receipt[];
  /** False where one of them is settled or was begun: then none of them is begun. */
  begin(keys: readonly ReceiptKey[], intent: BatchIntent): boolean;
  /** Undoes `begin`: it is proven that nothing was typed. */
  takeBack(keys: readonly ReceiptKey[]): void;
  /** Whether nothing of it was begun or settled. */
  isWaiting(key: ReceiptKey): boolean;
  receipt(key: ReceiptKey): Receipt | null;
  /** Writes what came of receipts that are open or unconfirmed. */
  settle(keys: readonly ReceiptKey[], outcome: ReceiptOutcome): void;
  /** Notes that a recipient has read it; one that waits is not typed any more. */
  markRead(key: ReceiptKey, atMs: number): void;
  markReplied(key: ReceiptKey, atMs: number): void;
  /** The newest first. */
  list(query: MailQuery): StoredMessage[];
  unreadCount(party: PartyId): number;
  /** How many messages the sender wrote since then. */
  sentCount(sender: PartyId, sinceMs: number): number;
  /** How many passed between the two since then, in both directions. */
  pairCount(one: PartyId, other: PartyId, sinceMs: number): number;
}

export type NewReceipt = Pick<
  Receipt,
  'recipient' | 'recipientName' | 'isCopy' | 'boundary' | 'status' | 'detail'
> & { readonly settledAtMs: number | null };

const addMessageSql = `
  INSERT INTO messages (message_id, thread_id, reply_to, bundle_name, sender, sender_name, subject,
    body, attachments, hop_count, request_ref, created_at, deadline_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const addReceiptSql = `
  INSERT INTO deliveries (message_id, recipient, recipient_name, is_copy, boundary, status, detail,
    settled_at, expires_at, place)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,
    (SELECT coalesce(max(place), 0) + 1 FROM deliveries WHERE place > 0))
  RETURNING place`;
const beginSql = `
  UPDATE deliveries SET status = 'delivering', attempt_count = attempt_count + 1, intent_at = ?3,
    batch_id = ?4, pane_key = ?5, runtime_id = ?6
  WHERE message_id = ?1 AND recipient = ?2 AND intent_at IS NULL AND settled_at IS NULL`;
const takeBackSql = `
  UPDATE deliveries SET status = 'queued', intent_at = NULL, batch_id = NULL
  WHERE message_id = ?1 AND recipient = ?2 AND status = 'delivering' AND settled_at IS NULL`;
const settleSql = `
  UPDATE deliveries SET status = ?3, code = ?4, detail = ?5, settled_at = ?6, reply_channel = ?7
  WHERE message_id = ?1 AND recipient = ?2 AND place > 0
    AND (settled_at IS NULL OR status = 'unconfirmed')`;
const readSql = `
  UPDATE deliveries SET read_at = coalesce(read_at, ?3),
    status = CASE WHEN settled_at IS NULL AND intent_at IS NULL THEN 'delivered' ELSE status END,
    detail = CASE WHEN settled_at IS NULL AND intent_at IS NULL
      THEN 'read before it was typed' ELSE detail END,
    settled_at = CASE WHEN intent_at IS NULL THEN coalesce(settled_at, ?3) ELSE settled_at END
  WHERE message_id = ?1 AND recipient = ?2 AND place > 0`;
const repliedSql = `
  UPDATE deliveries SET replied_at = coalesce(replied_at, ?3), read_at = coalesce(read_at, ?3)
  WHERE message_id = ?1 AND recipient = ?2 AND place > 0`;

const boxSql: Readonly<Record<MailQuery['box'], string>> = {
  inbox: `SELECT message_id FROM deliveries WHERE recipient = ?1 AND place IS NOT NULL
    AND (?2 = 0 OR read_at IS NULL) ORDER BY place DESC LIMIT ?3`,
  sent: `SELECT message_id FROM messages WHERE sender = ?1 AND sender_name IS NOT NULL
    AND ?2 >= 0 ORDER BY created_at DESC LIMIT ?3`,
  all: `SELECT message_id FROM messages WHERE created_at >= 0 AND sender_name IS NOT NULL
    AND ?1 IS NOT NULL AND ?2 >= 0 ORDER BY created_at DESC LIMIT ?3`,
};
const threadSql = `
  SELECT message_id FROM messages WHERE thread_id = ?1 AND sender_name IS NOT NULL
  ORDER BY created_at DESC LIMIT ?2`;
const pairSql = `
  SELECT count(*) AS n FROM messages AS m JOIN deliveries AS d ON d.message_id = m.message_id
  WHERE m.sender = ?1 AND m.created_at >= ?3 AND m.sender_name IS NOT NULL
    AND d.recipient = ?2`;

type SqlRow = Record<string, SQLOutputValue>;

const textOf = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;
const timeOf = (value: SQLOutputValue | undefined): number | null =>
  typeof value === 'number' ? value : null;

const messageOf = (row: SqlRow): MessageRecord => ({
  messageId: String(row['message_id']),
  threadId: String(row['thread_id']),
  replyTo: textOf(row['reply_to']),
  bundle: textOf(row['bundle_name']),
  sender: id<PartyId>(String(row['sender'])),
  senderName: String(row['sender_name']),
  subject: textOf(row['subject']),
  body: String(row['body']),
  attachments: JSON.parse(String(row['attachments'] ?? '[]')) as string[],
  hopCount: Number(row['hop_count']),
  createdAtMs: Number(row['created_at']),
  expiresAtMs: Number(row['deadline_at']),
  requestRef: textOf(row['request_ref']),
});

const receiptOf = (row: SqlRow): Receipt => {
  const runtimeId = textOf(row['runtime_id']);
  const paneKey = textOf(row['pane_key']);
  return {
    messageId: String(row['message_id']),
    recipient: id<PartyId>(String(row['recipient'])),
    recipientName: String(row['recipient_name']),
    isCopy: row['is_copy'] === 1,
    place: Number(row['place']),
    boundary: String(row['boundary']),
    status: row['status'] as ReceiptStatus,
    code: textOf(row['code']),
    detail: textOf(row['detail']),
    replyChannel: textOf(row['reply_channel']) as ReplyChannel | null,
    runtimeId: runtimeId === null ? null : id<RuntimeId>(runtimeId),
    paneKey: paneKey === null ? null : id<PaneKey>(paneKey),
    batchId: textOf(row['batch_id']),
    intentAtMs: timeOf(row['intent_at']),
    settledAtMs: timeOf(row['settled_at']),
    readAtMs: timeOf(row['read_at']),
    repliedAtMs: timeOf(row['replied_at']),
    expiresAtMs: Number(row['expires_at']),
  };
};

export function prepareMessageTable(db: DatabaseSync, path: string): MessageTable {
  return {
    ...prepareWriters(db, path),
    ...prepareReaders(db, path),
    ...prepareCounts(db, path),
  };
}

type WriterName = 'add' | 'begin' | 'takeBack' | 'settle' | 'markRead' | 'markReplied';

function prepareWriters(db: DatabaseSync, path: string): Pick<MessageTable, WriterName> {
  const addMessage = db.prepare(addMessageSql);
  const addReceipt = db.prepare(addReceiptSql);
  const begin = db.prepare(beginSql);
  const takeBack = db.prepare(takeBackSql);
  const settle = db.prepare(settleSql);
  const read = db.prepare(readSql);
  const replied = db.prepare(repliedSql);
  const write = <T>(work: () => T): T => guarded(path, () => inTransaction(db, work));
  const beginAll = (keys: readonly ReceiptKey[], intent: BatchIntent): boolean => {
    const { atMs, batchId, paneKey, runtimeId } = intent;
    const counts = keys.map(({ messageId, recipient }) =>
      Number(begin.run(messageId, recipient, atMs, batchId, paneKey, runtimeId).changes),
    );
    return counts.every((count) => count === 1);
  };
  return {
    add: (message, receipts) =>
      write(() => {
        const { messageId, expiresAtMs } = message;
        addMessage.run(
          ...[messageId, message.threadId, message.replyTo, message.bundle, message.sender],
          ...[message.senderName, message.subject, message.body],
          ...[JSON.stringify(message.attachments), message.hopCount, message.requestRef],
          ...[message.createdAtMs, expiresAtMs],
        );
        const stored = receipts.map((each): Receipt => {
          const row = addReceipt.get(
            ...[messageId, each.recipient, each.recipientName, Number(each.isCopy)],
            ...[each.boundary, each.status, each.detail, each.settledAtMs, expiresAtMs],
          );
          return {
            ...freshReceipt,
            ...each,
            messageId,
            expiresAtMs,
            place: Number(row?.['place']),
          };
        });
        return { ...message, receipts: stored };
      }),
    begin: (keys, intent) =>
      guarded(path, () =>
        inTransaction(
          db,
          () => beginAll(keys, intent),
          (isBegun) => isBegun,
        ),
      ),
    takeBack: (keys) =>
      write(() => {
        for (const { messageId, recipient } of keys) takeBack.run(messageId, recipient);
      }),
    settle: (keys, { status, code, detail, replyChannel, atMs }) =>
      write(() => {
        for (const { messageId, recipient } of keys) {
          settle.run(messageId, recipient, status, code, detail, atMs, replyChannel);
        }
      }),
    markRead: ({ messageId, recipient }, atMs) =>
      write(() => void read.run(messageId, recipient, atMs)),
    markReplied: ({ messageId, recipient }, atMs) =>
      write(() => void replied.run(messageId, recipient, atMs)),
  };
}

const freshReceipt = {
  ...{ code: null, replyChannel: null, runtimeId: null, paneKey: null, batchId: null },
  ...{ intentAtMs: null, readAtMs: null, repliedAtMs: null },
} as const;

function prepareReaders(
  db: DatabaseSync,
  path: string,
): Omit<MessageTable, WriterName | CountName> {
  const message = db.prepare(
    'SELECT * FROM messages WHERE message_id = ? AND sender_name IS NOT NULL',
  );
  const receipts = db.prepare('SELECT * FROM deliveries WHERE message_id = ? AND place > 0');
  const request = db.prepare(
    'SELECT message_id FROM messages WHERE sender = ? AND request_ref = ?',
  );
  const open = db.prepare(
    'SELECT * FROM deliveries WHERE place > 0 AND settled_at IS NULL ORDER BY place',
  );
  const one = db.prepare(
    'SELECT * FROM deliveries WHERE message_id = ? AND recipient = ? AND place > 0',
  );
  const receipt = ({ messageId, recipient }: ReceiptKey): Receipt | null =>
    guarded(path, () => {
      const row = one.get(messageId, recipient);
      return row === undefined ? null : receiptOf(row);
    });
  const boxes = {
    inbox: db.prepare(boxSql.inbox),
    sent: db.prepare(boxSql.sent),
    all: db.prepare(boxSql.all),
  };
  const thread = db.prepare(threadSql);
  const find = (messageId: SQLOutputValue | undefined): StoredMessage | null => {
    const row = messageId === undefined ? undefined : message.get(String(messageId));
    if (row === undefined) return null;
    const found = receipts.all(String(messageId)).map(receiptOf);
    return { ...messageOf(row), receipts: found.toSorted((a, b) => a.place - b.place) };
  };
  const listed = ({ threadId, party, box, isUnreadOnly, limit }: MailQuery): SqlRow[] =>
    threadId === null
      ? boxes[box].all(party ?? '', Number(isUnreadOnly), limit)
      : thread.all(threadId, limit);
  return {
    receipt,
    isWaiting: (key) => {
      const found = receipt(key);
      return found !== null && found.intentAtMs === null && found.settledAtMs === null;
    },
    find: (messageId) => guarded(path, () => find(messageId)),
    byRequest: (sender, requestRef) =>
      guarded(path, () => find(request.get(sender, requestRef)?.['message_id'])),
    open: () => guarded(path, () => open.all().map(receiptOf)),
    list: (query) =>
      guarded(path, () =>
        listed(query).flatMap((row) => {
          const found = find(row['message_id']);
          return found ? [found] : [];
        }),
      ),
  };
}

type CountName = 'unreadCount' | 'sentCount' | 'pairCount';

function prepareCounts(db: DatabaseSync, path: string): Pick<MessageTable, CountName> {
  const unread = db.prepare(
    `SELECT count(*) AS n FROM deliveries
      WHERE recipient = ? AND place IS NOT NULL AND read_at IS NULL`,
  );
  const sent = db.prepare(
    `SELECT count(*) AS n FROM messages
      WHERE sender = ? AND created_at >= ? AND sender_name IS NOT NULL`,
  );
  const pair = db.prepare(pairSql);
  const countOf = (row: SqlRow | undefined): number => Number(row?.['n'] ?? 0);
  return {
    unreadCount: (party) => guarded(path, () => countOf(unread.get(party))),
    sentCount: (sender, sinceMs) => guarded(path, () => countOf(sent.get(sender, sinceMs))),
    pairCount: (one, other, sinceMs) =>
      guarded(
        path,
        () => countOf(pair.get(one, other, sinceMs)) + countOf(pair.get(other, one, sinceMs)),
      ),
  };
}
