// Messages as tools show them: what the caller must know to act on one, and as much of its text as
// fits. All of it but ids and times was written by others.

import { safeText } from '../render/safe-text.ts';
import type { MessageItem, PartyItem, SentMessage } from '../schema/relay/message-schemas.ts';
import { shortText, type ToolData, withinLimit } from './tool-result.ts';

/** What a list shows of a text; read_message has the rest. */
const EXCERPT_LENGTH = 300;
/** Of JSON; the other facts of a message need the rest of a result. */
const PAGE_BYTES_MAX = 5_000;
/** safeText keeps no more of one piece. */
const PIECE_LENGTH = 2_000;
const NAME_LENGTH = 80;
const NAMES_MAX = 16;

type ReceiptItem = MessageItem['receipts'][number];

const nameOf = ({ id, name }: PartyItem): string =>
  shortText(name === '' || name === id ? id : `${name} <${id}>`, NAME_LENGTH) ?? '';

/** Foreign text with its lines and tabs, without escapes and other controls. */
export function plainBody(text: string): string {
  const pieces = text.split(/(\r\n|[\n\r\v\f\u0085\u2028\u2029]|\t)/);
  return pieces
    .map((piece, index) => (index % 2 === 0 ? plainPiece(piece) : piece === '\t' ? '\t' : '\n'))
    .join('');
}

function plainPiece(text: string): string {
  if (text.length <= PIECE_LENGTH) return safeText(text);
  return (text.match(new RegExp(`[^]{1,${PIECE_LENGTH}}`, 'gu')) ?? [])
    .map((each) => safeText(each))
    .join('');
}

export interface TextPage {
  readonly text: string;
  /** Where the next page begins; null at the end. */
  readonly nextOffset: number | null;
}

/** As much of a text as a result holds, from an offset on. */
export function pageOf(text: string, offset: number): TextPage {
  const rest = text.slice(offset);
  let length = Math.min(rest.length, PAGE_BYTES_MAX);
  const bytesOf = (): number => Buffer.byteLength(JSON.stringify(rest.slice(0, length)));
  for (let bytes = bytesOf(); bytes > PAGE_BYTES_MAX; bytes = bytesOf()) {
    length = Math.floor((length * PAGE_BYTES_MAX) / bytes);
  }
  // A character of two units stays whole.
  const last = rest.charCodeAt(length - 1);
  if (length < rest.length && last >= 0xd800 && last <= 0xdbff) length -= 1;
  const end = offset + length;
  return { text: rest.slice(0, length), nextOffset: end < text.length ? end : null };
}

function headFact(item: MessageItem, selfId: string): ToolData {
  const { message_id: messageId, thread_id: threadId, reply_to: replyTo, subject } = item;
  const own = item.receipts.find(({ recipient }) => recipient.id === selfId);
  const others = item.receipts.map(({ recipient }) => nameOf(recipient));
  return {
    message_id: messageId,
    ...(threadId === messageId ? {} : { thread_id: threadId }),
    ...(replyTo === null ? {} : { reply_to: replyTo }),
    at: item.created_at,
    from: nameOf(item.from),
    ...(item.from.id === selfId ? { is_yours: true } : {}),
    to: others.slice(0, NAMES_MAX),
    ...(others.length <= NAMES_MAX ? {} : { to_count: others.length }),
    ...(own === undefined ? {} : { status: own.status }),
    ...(subject === null ? {} : { subject: shortText(subject, 120) }),
  };
}

/** One line of a list. */
export function messageFact(item: MessageItem, selfId: string): ToolData {
  const text = plainBody(item.body);
  const isCut = text.length > EXCERPT_LENGTH;
  return {
    ...headFact(item, selfId),
    text: isCut ? text.slice(0, EXCERPT_LENGTH).toWellFormed() : text,
    ...(isCut ? { is_cut: true } : {}),
  };
}

/** One message with a page of its text. */
export function wholeMessageFact(item: MessageItem, selfId: string, offset: number): ToolData {
  const { text, nextOffset } = pageOf(plainBody(item.body), offset);
  const facts = { ...headFact(item, selfId), expires_at: item.expires_at, text };
  const paged = nextOffset === null ? facts : { ...facts, next_offset: nextOffset };
  const paths = item.attachments.map((path) => shortText(path, 300));
  return paths.length === 0 ? paged : withinLimit(paged, 'attachments', paths);
}

const receiptFact = ({ recipient, status, reason, code }: ReceiptItem): ToolData => ({
  to: nameOf(recipient),
  status,
  ...(reason === null ? {} : { reason: shortText(reason, 200) }),
  ...(code === null ? {} : { code }),
});

/** What was sent, and how it stands for each of its recipients. */
export function sentFact({ message, status }: SentMessage): ToolData {
  const { message_id: messageId, thread_id: threadId, receipts } = message;
  const head = { message_id: messageId, thread_id: threadId, outcome: status };
  return withinLimit(head, 'receipts', receipts.map(receiptFact));
}
