// The page of messages: its threads, the one that is read, and what is typed into it. Pure.

import { isUnread, receiptWords } from '../../render/messages/threads.ts';
import type { Inbox, MessageItem } from '../../schema/relay/message-schemas.ts';
import type { MessagesAction } from '../key-rows/team-keys.ts';
import { messagesActionOf } from '../key-table.ts';
import type { DaemonReply, UpdateResult } from '../message.ts';
import type { MessagesState, Model } from '../model.ts';
import { messagesTopMax } from '../pages/messages-page.ts';
import {
  answeredBy,
  cancelable,
  chosenThread,
  openThread,
  readerId,
  threadsIn,
} from '../rows/message-threads.ts';
import { closePage, just, withNotice } from '../steps.ts';
import { startMessage, startReplyTo } from './write.ts';

const SHOWN_MS = 2_000;
const PAGE_ROWS = 10;

const emptyMessages: MessagesState = {
  inbox: null,
  problem: null,
  requestedAtMs: 0,
  isLoading: false,
  chosen: null,
  thread: null,
  top: Number.POSITIVE_INFINITY,
  marked: new Set(),
};

export const openMessages = (model: Model): UpdateResult<Model> =>
  just({ ...model, messages: emptyMessages, page: { kind: 'messages' } });

/** The newest messages. The chosen thread stays chosen, wherever it stands by then. */
export function showMessages(model: Model, answer: DaemonReply<Inbox>): Model {
  const { messages } = model;
  if (messages === null) return model;
  if (!answer.ok) {
    return { ...model, messages: { ...messages, problem: answer.problem, isLoading: false } };
  }
  const next = { ...messages, inbox: answer.value, problem: null, isLoading: false };
  // From then on it is the same one, so that no other slips under a key.
  return { ...model, messages: { ...next, chosen: chosenThread(next)?.id ?? null } };
}

/** Reads what is new, and marks as read what is on the screen. */
export function requestMessages({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const { messages, nowMs, link } = model;
  if (messages === null || link.kind !== 'up') return { model, effects };
  const unread = unreadOnScreen(model, messages);
  const marked: MessagesState =
    unread.length === 0
      ? messages
      : { ...messages, marked: new Set([...messages.marked, ...unread]) };
  const withMarks: UpdateResult<Model> =
    unread.length === 0
      ? { model, effects }
      : {
          model: { ...model, messages: marked },
          effects: [...effects, { kind: 'mark-read', ids: unread }],
        };
  if (messages.isLoading || nowMs - messages.requestedAtMs < SHOWN_MS) return withMarks;
  return {
    model: { ...model, messages: { ...marked, requestedAtMs: nowMs, isLoading: true } },
    effects: [...withMarks.effects, { kind: 'read-messages' }],
  };
}

function unreadOnScreen(model: Model, messages: MessagesState): readonly string[] {
  const thread = model.page.kind === 'messages' ? openThread(model) : null;
  return (thread?.messages ?? [])
    .filter((each) => isUnread(each, readerId(messages)))
    .map(({ message_id: id }) => id)
    .filter((id) => !messages.marked.has(id));
}

/** A message was taken back, or nobody was left who waited for it. */
export function finishCancel(model: Model, answer: DaemonReply<MessageItem>): Model {
  const soon = readSoon(model);
  if (!answer.ok) return withNotice(soon, answer.problem, true);
  const words = answer.value.receipts.map((each) => receiptWords(each).text).join('; ');
  return withNotice(soon, `Taken back: ${words}.`);
}

/** The next tick reads them again. */
export const readSoon = (model: Model): Model =>
  model.messages === null ? model : { ...model, messages: { ...model.messages, requestedAtMs: 0 } };

type Act = (model: Model, messages: MessagesState) => UpdateResult<Model>;

const move =
  (by: number): Act =>
  (model, messages) => {
    const topMax = messagesTopMax(model);
    if (openThread(model) !== null) {
      const top = Math.max(0, Math.min(topMax, Math.min(messages.top, topMax) + by));
      const isEnd = top === topMax;
      return withMessages(model, { top: isEnd ? Number.POSITIVE_INFINITY : top });
    }
    const threads = threadsIn(messages);
    const at = threads.findIndex(({ id }) => id === chosenThread(messages)?.id);
    const to = Math.max(0, Math.min(threads.length - 1, at + by));
    return withMessages(model, { chosen: threads[to]?.id ?? null });
  };

const withMessages = (model: Model, change: Partial<MessagesState>): UpdateResult<Model> =>
  just(model.messages === null ? model : { ...model, messages: { ...model.messages, ...change } });

const close = (model: Model): UpdateResult<Model> => just(closePage({ ...model, messages: null }));

const read: Act = (model, messages) => {
  const thread = chosenThread(messages);
  if (messages.thread !== null || thread === null) return just(model);
  const top = Number.POSITIVE_INFINITY;
  return withMessages(model, { thread: thread.id, chosen: thread.id, top });
};

const reply =
  (isToAll: boolean): Act =>
  (model, messages) => {
    const thread = openThread(model);
    if (thread === null) return just(model);
    const message = answeredBy(messages, thread);
    if (message === null) return just(withNotice(model, 'Nobody in it has written to you.'));
    return startReplyTo(model, message, isToAll);
  };

const cancel: Act = (model, messages) => {
  const thread = openThread(model);
  const message = thread && cancelable(messages, thread);
  if (!message) return just(withNotice(model, 'No message of yours waits here.'));
  return just(model, { kind: 'cancel-message', id: message.message_id });
};

const actions: Readonly<Record<MessagesAction, Act>> = {
  up: move(-1),
  down: move(1),
  'page-up': move(-PAGE_ROWS),
  'page-down': move(PAGE_ROWS),
  first: move(Number.NEGATIVE_INFINITY),
  last: move(Number.POSITIVE_INFINITY),
  read,
  reply: reply(false),
  'reply-all': reply(true),
  cancel,
  write: (model) => startMessage(model),
  'start-daemon': (model) =>
    model.link.kind === 'lost' ? just(model, { kind: 'start-daemon' }) : just(model),
  help: (model) => just({ ...model, page: { kind: 'help', top: 0 } }),
  back: (model, messages) =>
    messages.thread === null ? close(model) : withMessages(model, { thread: null }),
  close,
};

/** A key on the page; `word` is its name in the table of keys. */
export function updateOnMessagesKey(model: Model, word: string): UpdateResult<Model> {
  const action = messagesActionOf(word);
  if (model.messages === null) return just(closePage(model));
  return action === null ? just(model) : actions[action](model, model.messages);
}
