// One conversation that a client of `tmux-converter.v1` is sent: the messages of a stream of ours
// as messages of that protocol, in its order: a switch, a snapshot, its chunks, its end, events.
// A chunk is held until the next one is there, so that the last one can tell how many there are.

import type { ConversationMessage } from '../../../operations/ports/stream-message.ts';
import type { Conversation, ConversationEntry } from '../../../schema/api/conversation.ts';
import {
  type ConversationEvent,
  conversationEvent,
  type EventFilter,
  isShown,
} from './conversation-event.ts';

/** An agent as clients of this protocol get it. */
export interface ConverterAgent {
  readonly name: string;
  readonly runtime: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export interface FollowedConversationParts {
  readonly subscriptionId: string;
  readonly agent: () => ConverterAgent;
  readonly filter: EventFilter;
  /** The request that its first marker answers; null where that was answered at once. */
  readonly requestId: string | undefined | null;
  readonly send: (message: Readonly<Record<string, unknown>>) => void;
  readonly onBegan: () => void;
}

const EPOCH = new Date(0).toISOString();

export const conversationIdOf = (
  { name, runtime }: Pick<ConverterAgent, 'name' | 'runtime'>,
  { session_id: session }: Pick<Conversation, 'session_id'>,
): string => `${runtime}:${name}:${session}`;

export class FollowedConversation {
  readonly #parts: FollowedConversationParts;
  #filter: EventFilter;
  #conversationId: string | null = null;
  #held: readonly ConversationEvent[] = [];
  #loadedCount = 0;
  #lastSeq = 0;
  #lastTimestamp = EPOCH;
  #reason: string | null = null;
  #isLoading = false;
  #isAnswered: boolean;

  constructor(parts: FollowedConversationParts) {
    this.#parts = parts;
    this.#filter = parts.filter;
    this.#isAnswered = parts.requestId === null;
  }

  /** Null until one has begun. */
  get conversationId(): string | null {
    return this.#conversationId;
  }

  setFilter(filter: EventFilter): void {
    this.#filter = filter;
  }

  take(message: ConversationMessage): void {
    if (message.type === 'conversation_began') this.#begin(message);
    else if (message.type === 'conversation_caught_up') this.#endSnapshot(message.cursor);
    else if (message.type === 'conversation_gap') this.#gap(message.reason);
    else if (message.type === 'conversation_ended') this.ended(message.reason);
    else if (message.phase === 'snapshot') this.#load(message);
    else this.#live(message);
  }

  ended(reason: string): void {
    this.#send({ type: 'conversation-ended', reason });
  }

  #begin({
    conversation,
    is_snapshot: isSnapshot,
  }: Extract<ConversationMessage, { type: 'conversation_began' }>): void {
    const agent = this.#parts.agent();
    const from = this.#conversationId;
    const to = conversationIdOf(agent, conversation);
    this.#conversationId = to;
    this.#held = [];
    this.#loadedCount = 0;
    if (from !== null && from !== to) {
      const { subscriptionId } = this.#parts;
      this.#parts.send({
        type: 'conversation-switched',
        subscriptionId,
        agent: agent.item,
        from,
        to,
      });
      this.#reason = 'switch';
    }
    const reason = this.#reason === null ? {} : { reason: this.#reason };
    this.#reason = null;
    this.#isLoading = isSnapshot;
    this.#send({ type: isSnapshot ? 'conversation-snapshot' : 'conversation-resumed', ...reason });
    this.#parts.onBegan();
  }

  #load({ entries }: { readonly entries: readonly ConversationEntry[] }): void {
    const events = this.#eventsOf(entries).map(({ event }) => event);
    if (events.length === 0) return;
    this.#sendHeld(0);
    this.#held = events;
  }

  #endSnapshot(cursor: string): void {
    if (!this.#isLoading) return;
    this.#isLoading = false;
    this.#sendHeld(this.#loadedCount + this.#held.length);
    const end = { type: 'conversation-snapshot-end' };
    this.#send({ ...end, cursor: this.#cursorOf(cursor, this.#lastSeq, '') });
  }

  /** A total of 0: more may come. */
  #sendHeld(total: number): void {
    const events = this.#held;
    if (events.length === 0) return;
    this.#held = [];
    this.#loadedCount += events.length;
    const progress = { loaded: this.#loadedCount, total };
    this.#send({ type: 'conversation-snapshot-chunk', events, progress });
  }

  #live({ entries }: { readonly entries: readonly ConversationEntry[] }): void {
    for (const { event, cursor } of this.#eventsOf(entries)) {
      const { seq, eventId } = event;
      const fields = { event, cursor: this.#cursorOf(cursor, seq, eventId) };
      this.#send({ type: 'conversation-event', ...fields });
    }
  }

  #gap(reason: string): void {
    this.#reason = 'gap';
    this.#send({ type: 'stream-gap', fromSeq: this.#lastSeq, toSeq: null, reason });
  }

  #eventsOf(entries: readonly ConversationEntry[]) {
    const { name: agentName, runtime } = this.#parts.agent();
    const place = { agentName, runtime, conversationId: this.#conversationId ?? '' };
    return entries
      .map((entry) => {
        const event = conversationEvent(place, entry, this.#lastTimestamp);
        this.#lastTimestamp = event.timestamp;
        this.#lastSeq = event.seq;
        return { event, cursor: entry.cursor };
      })
      .filter(({ event }) => isShown(this.#filter, event));
  }

  /** Clients keep it as it is; what we read of it is `g`. */
  #cursorOf(cursor: string, seq: number, eventId: string): string {
    return JSON.stringify({ c: this.#conversationId, g: cursor, s: seq, e: eventId });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    const { subscriptionId, requestId } = this.#parts;
    const conversationId = this.#conversationId ?? undefined;
    const answers = this.#isAnswered ? {} : { id: requestId };
    this.#isAnswered = true;
    this.#parts.send({ ...answers, ...message, subscriptionId, conversationId });
  }
}

/** Our cursor in one of this protocol; null where it is none. */
export function ourCursor(text: string): string | null {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null) return null;
    const cursor: unknown = Reflect.get(fields, 'g');
    return typeof cursor === 'string' && cursor !== '' && cursor.length <= 200 ? cursor : null;
  } catch {
    return null;
  }
}
