// What `agtmux msg` and `agtmux look` print: inboxes, messages with their receipts, screens. Pure.

import type {
  Inbox,
  Look,
  MessageItem,
  PartyItem,
  PartyList,
  ReceiptItem,
  SentMessage,
} from '../../schema/relay/message-schemas.ts';
import { type Column, renderGrid } from '../grid.ts';
import { ageOf, type Ink, paint, sanitise, type View } from '../view.ts';

/** The name that people type, else the canonical id. */
export const partyText = ({ id, kind, name, bundle, ref }: PartyItem): string => {
  if (kind === 'member') return id.slice('member:'.length);
  if (kind === 'operator') return name;
  return bundle === null ? (ref ?? id) : id;
};

const columns: readonly Column[] = [
  { title: 'ID', rank: 0, min: 12 },
  { title: 'AGO', rank: 1, min: 3 },
  { title: 'FROM', rank: 1, min: 6, max: 30 },
  { title: 'TO', rank: 2, min: 6, max: 30 },
  { title: 'STATUS', rank: 1, min: 9 },
  { title: 'MESSAGE', rank: 2, min: 12 },
];

export function renderInbox(view: View, { messages, unread_count, party }: Inbox): string {
  const who = sanitise(view, partyText(party));
  const head = `${who}: ${unread_count} unread`;
  if (messages.length === 0) return `${head}\nNo messages.\n`;
  const rows = messages.map((message) => [
    { text: message.message_id },
    { text: ageOf(view, message.created_at) },
    { text: sanitise(view, partyText(message.from)) },
    { text: sanitise(view, recipientsText(message)) },
    { text: statusText(message), ink: inkOf(message) },
    { text: sanitise(view, headline(message)) },
  ]);
  return `${head}\n${renderGrid(view, [...columns], rows)}\n`;
}

export const headline = ({ subject, body }: MessageItem): string =>
  subject === null ? body : `${subject}: ${body}`;

export const recipientsText = ({ receipts }: MessageItem): string =>
  receipts.map(({ recipient }) => partyText(recipient)).join(', ');

/** The statuses of all recipients, each word once. */
export const statusText = ({ receipts }: MessageItem): string =>
  [...new Set(receipts.map(({ status }) => status))].join(', ') || 'nobody';

export function inkOf({ receipts }: MessageItem): Ink | null {
  if (receipts.some(({ status }) => status === 'failed')) return 'red';
  return receipts.some(({ status }) => status === 'unconfirmed') ? 'yellow' : null;
}

export function receiptLine(view: View, receipt: ReceiptItem): string {
  const { recipient, status, code, reason, copy, reply_channel } = receipt;
  const what = [code, reason].filter(Boolean).join(': ');
  const channel = reply_channel === 'no_reply_channel' ? ' (no_reply_channel)' : '';
  const to = `${partyText(recipient)}${copy ? ' (copy)' : ''}`;
  return sanitise(view, `${to}  ${status}${channel}${what === '' ? '' : `  ${what}`}`);
}

export function renderSent(view: View, { status, message }: SentMessage): string {
  const lines = message.receipts.map((receipt) => `  ${receiptLine(view, receipt)}`);
  const none = lines.length === 0 ? ['  nobody else is there'] : lines;
  return `${[`${status}: message ${message.message_id}`, ...none].join('\n')}\n`;
}

export function renderMessage(view: View, { message }: { message: MessageItem }): string {
  return `${messageLines(view, message).join('\n')}\n`;
}

/** Headers, receipts and the body, each line safe to print. */
export function messageLines(view: View, message: MessageItem): readonly string[] {
  const { from, subject, thread_id, attachments, created_at, receipts } = message;
  const head = [
    `From: ${partyText(from)}  ${ageOf(view, created_at)} ago`,
    ...(subject === null ? [] : [`Subject: ${subject}`]),
    `Id: ${message.message_id}  thread ${thread_id}`,
    ...attachments.map((path) => `Attachment: ${path}`),
  ];
  return [
    ...head.map((line) => paint(view, 'bold', sanitise(view, line))),
    ...receipts.map((receipt) => `To: ${receiptLine(view, receipt)}`),
    '',
    ...message.body.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => sanitise(view, line)),
  ];
}

export const renderLook = (view: View, { lines }: Look): string =>
  `${lines.map((line) => sanitise(view, line)).join('\n')}\n`;

const partyColumns: readonly Column[] = [
  { title: 'NAME', rank: 0, min: 8, max: 40 },
  { title: 'KIND', rank: 1, min: 6 },
  { title: 'STATE', rank: 1, min: 7 },
  { title: 'WHERE', rank: 2, min: 6, max: 30 },
  { title: 'YOU MAY', rank: 1, min: 8 },
];

export function renderParties(view: View, { parties }: PartyList): string {
  const rows = parties.map((party) => [
    { text: sanitise(view, party.kind === 'operator' ? party.id : partyText(party)) },
    { text: party.kind },
    { text: party.state ?? '' },
    { text: sanitise(view, party.ref ?? '') },
    { text: party.is_you ? 'you' : mayText(party) },
  ]);
  return `${renderGrid(view, [...partyColumns], rows)}\n`;
}

const mayText = (party: PartyList['parties'][number]): string =>
  [
    ...(party.may_send ? ['send'] : []),
    ...(party.may_look ? ['look'] : []),
    ...(party.may_write_raw ? ['raw'] : []),
  ].join(', ') || 'nothing';
