// The messages that this person may see, read again and again: every few seconds while they are
// shown, seldom else. Nothing is read while the page is hidden or not connected.

import { isUnread, receiptWords, type Thread } from '../../render/messages/threads.ts';
import type { Inbox, MessageItem } from '../../schema/relay/message-schemas.ts';
import type { WebServiceClient } from '../../web-client/web-client.ts';
import { type OutcomeWords, problemOutcome } from '../state/action-words.ts';
import { asProblem } from './as-problem.ts';
import { newId } from './new-id.ts';

const SHOWN_MS = 2_000;
const HIDDEN_MS = 8_000;
const MESSAGES_MAX = 200;
const MARKED_MAX = 2_000;
/** A message may wait for the rest of its recipients; no longer is it watched for at once. */
const WAIT_MS = 1_500;

export interface NewMessage {
  readonly to: readonly string[];
  /** To all of a bundle instead. */
  readonly bundle: string | null;
  readonly subject: string;
  readonly text: string;
}

/** What it needs of the dashboard. */
interface Connected {
  readonly client: WebServiceClient;
  readonly isLive: boolean;
  readonly canAct: boolean;
  changed(): void;
}

export class MessageBox {
  readonly #dashboard: Connected;
  inbox: Inbox | null = null;
  problem: string | null = null;
  /** Whether a page shows them now. */
  #isShown = false;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  /** Said to be read, whether that could be noted or not: it is not said again and again. */
  readonly #marked = new Set<string>();

  constructor(dashboard: Connected) {
    this.#dashboard = dashboard;
    setInterval(() => this.#tick(), 1_000);
  }

  get unreadCount(): number {
    return this.inbox?.unread_count ?? 0;
  }

  /** Nothing that was read stays. */
  forget(): void {
    this.inbox = null;
    this.problem = null;
    this.#readAtMs = Number.NEGATIVE_INFINITY;
    this.#marked.clear();
  }

  show(isShown: boolean): void {
    if (isShown && !this.#isShown) this.#readAtMs = Number.NEGATIVE_INFINITY;
    this.#isShown = isShown;
    this.#tick();
  }

  async read(): Promise<void> {
    const { client } = this.#dashboard;
    this.#readAtMs = performance.now();
    this.#isReading = true;
    try {
      this.inbox = await client.call('list_inbox', { box: 'all', limit: MESSAGES_MAX });
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error).message;
    } finally {
      this.#isReading = false;
      this.#dashboard.changed();
    }
  }

  async send({ to, bundle, subject, text }: NewMessage): Promise<OutcomeWords> {
    const named = subject.trim() === '' ? {} : { subject: subject.trim() };
    const content = { message: text, ...named, wait_ms: WAIT_MS, request_ref: newId() };
    const { client } = this.#dashboard;
    return this.#report(async () => {
      const sent =
        bundle === null
          ? await client.call('send_message', { ...content, to: [...to] })
          : await client.call('broadcast_message', { ...content, bundle });
      return sent.message;
    });
  }

  async reply(message: MessageItem, text: string, isToAll: boolean): Promise<OutcomeWords> {
    const input = { message_id: message.message_id, message: text, all: isToAll };
    return this.#report(async () => {
      const more = { wait_ms: WAIT_MS, request_ref: newId() };
      return (await this.#dashboard.client.call('reply_message', { ...input, ...more })).message;
    });
  }

  async cancel({ message_id: id }: MessageItem): Promise<OutcomeWords> {
    return this.#report(async () => {
      return (await this.#dashboard.client.call('cancel_message', { message_id: id })).message;
    });
  }

  /** What the reader has before the eyes is read. */
  async markRead({ messages }: Thread): Promise<void> {
    const me = this.inbox?.party.id ?? '';
    const unread = messages.filter(
      (each) => isUnread(each, me) && !this.#marked.has(each.message_id),
    );
    if (unread.length === 0 || !this.#dashboard.canAct) return;
    if (this.#marked.size > MARKED_MAX) this.#marked.clear();
    for (const { message_id: id } of unread) this.#marked.add(id);
    for (const { message_id: id } of unread) {
      await this.#dashboard.client.call('read_message', { message_id: id }).catch(() => null);
    }
    await this.read();
  }

  async #report(send: () => Promise<MessageItem>): Promise<OutcomeWords> {
    try {
      const { receipts } = await send();
      const words = receipts.map((each) => receiptWords(each));
      const worst = words.find(({ mood }) => mood === 'bad') ?? words.find(isOpen) ?? words[0];
      return { mood: worst?.mood ?? 'good', word: 'sent', text: worst?.text ?? '' };
    } catch (error) {
      return problemOutcome(asProblem(error));
    } finally {
      void this.read();
    }
  }

  #tick(): void {
    const { isLive } = this.#dashboard;
    if (!isLive || document.hidden || this.#isReading) return;
    const pauseMs = this.#isShown ? SHOWN_MS : HIDDEN_MS;
    if (performance.now() - this.#readAtMs >= pauseMs) void this.read();
  }
}

const isOpen = ({ mood }: { readonly mood: string }): boolean => mood === 'open';
