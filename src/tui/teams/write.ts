// The line in which a message is written: to the selected agent, to a member or all of a team, or
// as a reply. It goes out once, by Enter; what was refused is kept. Pure.

import { receiptWords } from '../../render/messages/threads.ts';
import { locationText } from '../../render/typed-names.ts';
import type { MessageItem, ReceiptItem } from '../../schema/relay/message-schemas.ts';
import type { Key } from '../keys.ts';
import type { DaemonReply, UpdateResult } from '../message.ts';
import type { Addressee, Model, WritePage, WrittenMessage } from '../model.ts';
import { focusedPane } from '../rows/selection.ts';
import { closePage, just, withNotice } from '../steps.ts';
import { addresseeText } from '../view/write-lines.ts';

/** Longer ones are files: their paths can be attached by agtmux msg send. */
const TEXT_LENGTH_MAX = 20_000;
const SUBJECT_LENGTH_MAX = 200;
/** A key within this time was pressed before the notice could be read. */
const UNREAD_MS = 400;

/** To the agent that is selected in the list. */
export function startMessage(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(withNotice(model, 'No agent is selected in the list.'));
  if (pane.presence !== 'managed' || pane.runtime_id === null) {
    return just(withNotice(model, 'No agent is in this pane: select one in the list.'));
  }
  const place = pane.identity === null ? '' : ` in ${locationText(pane.identity)}`;
  const id = `runtime:${pane.runtime_id}`;
  return startMessageTo(model, { id, isBundle: false, name: `${pane.agent ?? 'agent'}${place}` });
}

export function startMessageTo(model: Model, to: Addressee): UpdateResult<Model> {
  const { unsent } = model;
  const isSame = unsent?.kind === 'new' && unsent.to.id === to.id;
  return write(model, isSame ? { ...unsent, to } : { kind: 'new', to, subject: '', text: '' });
}

export function startReplyTo(
  model: Model,
  message: MessageItem,
  isToAll: boolean,
): UpdateResult<Model> {
  const { unsent } = model;
  const isSame =
    unsent?.kind === 'reply' &&
    unsent.message.message_id === message.message_id &&
    unsent.isToAll === isToAll;
  const text = isSame ? unsent.text : '';
  return write(model, { kind: 'reply', message, isToAll, text });
}

const write = (model: Model, draft: WrittenMessage): UpdateResult<Model> =>
  just({ ...model, page: { kind: 'write', draft, field: 'text' } });

/** A key in the line. */
export function updateOnWriteKey(model: Model, page: WritePage, key: Key): UpdateResult<Model> {
  const { draft, field } = page;
  if (key.kind === 'click') return just(model);
  if (key.kind !== 'named') return just(typed(model, page, key.text));
  switch (key.name) {
    case 'enter':
      return field === 'subject' ? just(withField(model, page, 'text')) : send(model, draft);
    case 'tab':
      return just(withField(model, page, field === 'text' ? 'subject' : 'text'));
    case 'escape':
      return just({ ...closePage(model), unsent: draft.text.trim() === '' ? null : draft });
    case 'backspace':
      return just(withText(model, page, [...textOf(page)].slice(0, -1).join('')));
    case 'ctrl-u':
      return just(withText(model, page, ''));
    default:
      return just(model);
  }
}

/** A reply has the subject of its thread. */
const withField = (model: Model, page: WritePage, field: WritePage['field']): Model =>
  page.draft.kind === 'reply' ? model : { ...model, page: { ...page, field } };

const textOf = ({ draft, field }: WritePage): string =>
  field === 'subject' && draft.kind === 'new' ? draft.subject : draft.text;

function withText(model: Model, page: WritePage, text: string): Model {
  const { draft, field } = page;
  const isSubject = field === 'subject' && draft.kind === 'new';
  const next: WrittenMessage = isSubject ? { ...draft, subject: text } : { ...draft, text };
  return { ...model, page: { ...page, draft: next } };
}

/** The lines of a paste stay lines, and nothing is cut: half a message is another one. */
function typed(model: Model, page: WritePage, input: string): Model {
  if (page.field === 'subject') {
    const text = (textOf(page) + input.replace(/\s+/g, ' ')).slice(0, SUBJECT_LENGTH_MAX);
    return withText(model, page, text);
  }
  const text = textOf(page) + input.replace(/\r\n?/g, '\n');
  if (text.length <= TEXT_LENGTH_MAX) return withText(model, page, text);
  const words = `Nothing was added: a message from here has at most ${TEXT_LENGTH_MAX} letters.`;
  return withNotice(model, words, true);
}

function send(model: Model, draft: WrittenMessage): UpdateResult<Model> {
  if (draft.text.trim() === '') return just({ ...closePage(model), unsent: null });
  if (model.link.kind !== 'up') {
    const kept: Model = { ...closePage(model), unsent: draft };
    return just(withNotice(kept, 'Nothing was sent: the daemon does not answer.', true));
  }
  return just({ ...closePage(model), unsent: null }, { kind: 'send-message', draft });
}

/** What came of it stands in the footer until a key is pressed; a refused text is kept. */
export function finishMessage(
  model: Model,
  draft: WrittenMessage,
  answer: DaemonReply<MessageItem>,
): Model {
  const whom = addresseeText(draft);
  const words = answer.ok
    ? `To ${whom}: ${receiptsText(answer.value.receipts)}.`
    : failure(whom, answer);
  const isProblem =
    !answer.ok || answer.value.receipts.some((each) => receiptWords(each).mood === 'bad');
  return {
    ...model,
    unsent: answer.ok ? model.unsent : draft,
    notice: {
      // A line end of others would look like an outcome of ours.
      text: words.replace(/\s+/g, ' '),
      isProblem,
      untilMs: Number.POSITIVE_INFINITY,
      unreadUntilMs: model.nowMs + UNREAD_MS,
    },
  };
}

/** Errors after which nobody knows whether it went out. */
const lostReplies: ReadonlySet<string> = new Set(['E_DAEMON_DOWN', 'timeout', 'protocol_desync']);

function failure(whom: string, answer: DaemonReply<never> & { readonly ok: false }): string {
  const { problem, code = '', hint } = answer;
  const isUnknown = lostReplies.has(code);
  const head = isUnknown ? 'Whether it was sent is not known, to' : 'Not sent to';
  const next = isUnknown
    ? 'The text is kept: sent again, it is the same message.'
    : 'The text is kept.';
  return `${head} ${whom}: ${problem} ${hint ?? ''} ${next}`;
}

/** `2 delivered, 1 queued: it works`. */
function receiptsText(receipts: readonly ReceiptItem[]): string {
  const [only] = receipts;
  if (only && receipts.length === 1) return receiptWords(only).text;
  const counts = new Map<string, number>();
  for (const each of receipts) {
    const { text } = receiptWords(each);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} ${text}`).join(', ');
}
