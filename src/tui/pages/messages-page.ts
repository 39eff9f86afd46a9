// The page of messages: the list of threads, or one thread with all that was written in it and what
// became of it for each recipient. Pure. Everything in it is foreign text.

import {
  isOpenMessage,
  partyName,
  type ReceiptWords,
  receiptWords,
  type Thread,
} from '../../render/messages/threads.ts';
import { ageOf, cutMark, sanitise, type View } from '../../render/view.ts';
import { textWidth, wrapText } from '../../render/width.ts';
import type { MessageItem, ReceiptItem } from '../../schema/relay/message-schemas.ts';
import type { MessagesState, Model } from '../model.ts';
import { chosenThread, openThread, readerId, threadsIn } from '../rows/message-threads.ts';
import { AGE } from '../view/columns.ts';
import { bodyRows, modelView } from '../view/layout.ts';
import {
  BOLD,
  chosenLine,
  cutLine,
  DIM,
  fitLine,
  OWN,
  type SpanLine,
  type SpanStyle,
  span,
} from '../view/spans.ts';

const NEWS: SpanStyle = { foreground: OWN.yellow, bold: true };
const NAMES_MAX = 28;
/** With fewer columns the names are only in the thread. */
const NAMES_COLUMNS_MIN = 64;
/** More than a person reads here; `agtmux msg read` has all. */
const BODY_LINES_MAX = 300;

const moods: Readonly<
  Record<ReceiptWords['mood'], { mark: string; ascii: string; style: SpanStyle }>
> = {
  good: { mark: '✓', ascii: '+', style: { foreground: OWN.green } },
  open: { mark: '…', ascii: '.', style: { foreground: OWN.yellow } },
  bad: { mark: '✗', ascii: 'x', style: { foreground: OWN.red } },
};

/** Every line of the page, and which of them is the chosen thread. */
export function messagePageLines(model: Model): { lines: readonly SpanLine[]; chosen: number } {
  const { messages } = model;
  const thread = openThread(model);
  if (messages !== null && thread !== null) {
    return { lines: threadLines(model, messages, thread), chosen: 0 };
  }
  return threadList(model, messages);
}

function threadList(
  model: Model,
  messages: MessagesState | null,
): { lines: readonly SpanLine[]; chosen: number } {
  const view = modelView(model, model.size.columns);
  const { inbox = null, problem = null } = messages ?? {};
  const you = inbox === null ? '' : `  you are ${partyName(inbox.party)}`;
  const heading: SpanLine = [span('messages', BOLD), span(sanitise(view, you), DIM)];
  if (messages === null || inbox === null) {
    return { lines: [heading, [], ...wrapped(view, problem ?? 'Asking the daemon.')], chosen: 0 };
  }
  const threads = threadsIn(messages);
  if (threads.length === 0) {
    const words =
      'No messages yet. Agents write to each other and to you with agtmux msg send, or by MCP. ' +
      'You can begin: M on an agent of the list writes to it; it is typed when that rests.';
    return { lines: [heading, [], ...wrapped(view, words)], chosen: 0 };
  }
  const chosen = chosenThread(messages);
  const lines = threads.map((thread) => {
    const line = threadLine(view, thread);
    return thread.id === chosen?.id ? chosenLine(view, line) : line;
  });
  return {
    lines: [heading, ...lines],
    chosen: 1 + threads.findIndex(({ id }) => id === chosen?.id),
  };
}

const wrapped = (view: View, words: string): readonly SpanLine[] =>
  wrapText(sanitise(view, words), Math.max(1, view.width - 2)).map((line) => [
    span(` ${line}`, DIM),
  ]);

function threadLine(view: View, thread: Thread): SpanLine {
  const { subject, parties, messages, lastAt, unreadCount } = thread;
  const isOpen = messages.some(isOpenMessage);
  const count = unreadCount > 0 ? `${unreadCount} new` : isOpen ? 'queued' : `${messages.length}`;
  const names = parties.map(partyName).join(', ') || 'you';
  const mark = cutMark(view);
  const namesWidth = view.width < NAMES_COLUMNS_MIN ? 0 : Math.min(NAMES_MAX, view.width >> 2);
  const left: SpanLine = [
    span(` ${ageOf(view, lastAt).padStart(AGE)}  `, DIM),
    ...(namesWidth === 0
      ? []
      : [...fitLine([span(sanitise(view, names))], namesWidth, mark), span('  ')]),
    span(sanitise(view, subject), unreadCount > 0 ? BOLD : {}),
  ];
  const right = span(count, unreadCount > 0 ? NEWS : DIM);
  const room = view.width - textWidth(count) - 3;
  return [...fitLine(left, room, mark), span('  '), right, span(' ')];
}

function threadLines(model: Model, messages: MessagesState, thread: Thread): readonly SpanLine[] {
  const view = modelView(model, model.size.columns);
  const names = thread.parties.map(partyName).join(', ');
  const heading: SpanLine = [
    span(sanitise(view, thread.subject), BOLD),
    span(sanitise(view, names === '' ? '' : `  with ${names}`), DIM),
  ];
  const all = thread.messages.flatMap((each) => [
    [],
    ...oneMessage(view, each, each.from.id === readerId(messages)),
  ]);
  return [cutLine(heading, view.width, cutMark(view)), ...all];
}

function oneMessage(view: View, message: MessageItem, isMine: boolean): readonly SpanLine[] {
  const { from, created_at, attachments, receipts } = message;
  const who = isMine ? 'you' : partyName(from);
  const lines: readonly SpanLine[] = [
    [
      span(` ${sanitise(view, who)}`, isMine ? BOLD : { ...BOLD, foreground: OWN.cyan }),
      span(`  ${ageOf(view, created_at)} ago`, DIM),
    ],
    ...bodyLines(view, message),
    ...attachments.map((path): SpanLine => [span(`  attached: ${sanitise(view, path)}`, DIM)]),
    ...receipts.flatMap((each) => receiptLines(view, each)),
  ];
  return lines.map((line) => cutLine(line, view.width, cutMark(view)));
}

function bodyLines(view: View, { body, message_id: id }: MessageItem): readonly SpanLine[] {
  const all = body.trimEnd().split('\n', BODY_LINES_MAX + 1);
  const rows = all.flatMap((line) => bodyRow(view, line.replaceAll('\t', '    ')));
  const lines = rows.slice(0, BODY_LINES_MAX).map((line): SpanLine => [span(`  ${line}`)]);
  if (rows.length <= BODY_LINES_MAX) return lines;
  return [...lines, [span(`  The rest: agtmux msg read ${id}`, DIM)]];
}

/** A line of the body keeps its indent, and a blank one stays. */
function bodyRow(view: View, line: string): readonly string[] {
  const indent = /^ {0,20}/.exec(line)?.[0] ?? '';
  const width = Math.max(1, view.width - 3 - indent.length);
  const rows = wrapText(sanitise(view, line.slice(indent.length)), width);
  return rows.length === 0 ? [''] : rows.map((row) => indent + row);
}

/** A reason is wrapped, not cut: its end says what to do. */
function receiptLines(view: View, receipt: ReceiptItem): readonly SpanLine[] {
  const { mood, text } = receiptWords(receipt);
  const { mark, ascii, style } = moods[mood];
  const words = `${partyName(receipt.recipient)}${receipt.copy ? ' (copy)' : ''}: ${text}`;
  return wrapText(sanitise(view, words), Math.max(1, view.width - 5)).map(
    (line, index): SpanLine => [
      span(index === 0 ? `  ${view.unicode ? mark : ascii} ` : '    ', style),
      span(line, DIM),
    ],
  );
}

/** How far a thread can be scrolled; 0 for the list. */
export function messagesTopMax(model: Model): number {
  if (openThread(model) === null) return 0;
  return Math.max(0, messagePageLines(model).lines.length - bodyRows(model.size));
}
