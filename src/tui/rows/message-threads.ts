// Which threads the page of messages lists, which of them is chosen, and which is read. Pure.

import { answerable, type Thread, threadsOf } from '../../render/messages/threads.ts';
import type { MessageItem } from '../../schema/relay/message-schemas.ts';
import type { MessagesState, Model } from '../model.ts';

/** The id of the reader; empty before the daemon has answered. */
export const readerId = ({ inbox }: MessagesState): string => inbox?.party.id ?? '';

/** By the reply that they were made of: a frame is drawn far more often than one comes. */
const known = new WeakMap<object, readonly Thread[]>();

/** The newest first. */
export function threadsIn({ inbox }: MessagesState): readonly Thread[] {
  if (inbox === null) return [];
  const threads = known.get(inbox) ?? threadsOf(inbox.messages, inbox.party.id);
  known.set(inbox, threads);
  return threads;
}

export function chosenThread(messages: MessagesState): Thread | null {
  const threads = threadsIn(messages);
  return threads.find(({ id }) => id === messages.chosen) ?? threads[0] ?? null;
}

/** The thread that is read; null while their list is shown. */
export function openThread({ messages }: Pick<Model, 'messages'>): Thread | null {
  if (messages === null || messages.thread === null) return null;
  return threadsIn(messages).find(({ id }) => id === messages.thread) ?? null;
}

/** The message of a thread that a reply of the reader answers. */
export const answeredBy = (messages: MessagesState, thread: Thread): MessageItem | null =>
  answerable(thread, readerId(messages));

/** The newest message of the reader that still waits for somebody. */
export const cancelable = (messages: MessagesState, thread: Thread): MessageItem | null =>
  thread.messages.findLast(
    ({ from, receipts }) =>
      from.id === readerId(messages) && receipts.some(({ status }) => status === 'queued'),
  ) ?? null;
