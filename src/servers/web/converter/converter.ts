// The protocol `tmux-converter.v1` for one client: what agents say and do, as events. It begins
// with `hello`; each conversation is a stream of ours. What its clients share with those of the
// terminal (agents, prompts, files) is answered by the same code as for those.

import type { ConversationMessage } from '../../../operations/ports/stream-message.ts';
import { type Conversation, conversationAgents } from '../../../schema/api/conversation.ts';
import type { Session } from '../../session.ts';
import { eventFilter } from './conversation-event.ts';
import {
  type ConverterAgent,
  conversationIdOf,
  FollowedConversation,
  ourCursor,
} from './followed-conversation.ts';

export const CONVERTER_PROTOCOL = 'tmux-converter.v1';
const SERVER_VERSION = '0.1.0';
/** Entries of a snapshot, the newest. */
const HISTORY = 20_000;
/** A conversation that is not known yet has so long to begin. */
const PENDING_MS = 30_000;

export interface ConverterRequest {
  readonly id?: string;
  readonly type: string;
  readonly agent?: string;
  readonly protocol?: string;
  readonly conversationId?: string;
  readonly subscriptionId?: string;
  readonly cursor?: string;
  readonly filter?: object;
}

/** An agent with what operations need to find it. */
export interface ConversingAgent extends ConverterAgent {
  readonly paneKey: string;
  readonly runtimeId: string;
}

type Message = Readonly<Record<string, unknown>>;

export interface ConverterParts {
  readonly session: () => Session;
  readonly agents: () => readonly ConversingAgent[];
  readonly send: (message: Message) => void;
  readonly pendingMs?: number | undefined;
}

interface Followed {
  readonly id: string;
  /** Of the stream; empty until it is open. */
  stream: string;
  readonly paneKey: string;
  /** The agent that is followed through its conversations; null for one conversation. */
  readonly agentName: string | null;
  /** What was asked for. */
  readonly wantedId: string | null;
  readonly conversation: FollowedConversation;
  timer: NodeJS.Timeout | null;
}

interface Wanted {
  readonly agent: ConversingAgent;
  readonly agentName: string | null;
  readonly wantedId: string | null;
  readonly input: Message;
  /** Whether the first marker answers the request. */
  readonly isAnswer: boolean;
}

export class Converter implements Disposable {
  readonly #parts: ConverterParts;
  readonly #followed = new Map<string, Followed>();
  #nextId = 1;
  #isReady = false;

  constructor(parts: ConverterParts) {
    this.#parts = parts;
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#followed.values()) if (timer) clearTimeout(timer);
    this.#followed.clear();
  }

  /** An agent with its conversation. */
  itemOf({ item, name, runtime, paneKey }: ConversingAgent): Message {
    const own = this.#conversations().find(({ pane_key: key }) => key === paneKey);
    return own ? { ...item, conversationId: conversationIdOf({ name, runtime }, own) } : item;
  }

  /** Whether the request was answered; else it is one that is shared. */
  answer(request: ConverterRequest): boolean {
    if (request.type === 'hello') this.#hello(request);
    else if (!this.#isReady) this.#fail(request, 'handshake required: send hello first');
    else return this.#answer(request);
    return true;
  }

  /** Whether the message is of a stream that this has opened. */
  take(subscription: string, message: { readonly type: string }): boolean {
    const followed = [...this.#followed.values()].find(({ stream }) => stream === subscription);
    if (!followed || !message.type.startsWith('conversation_')) return false;
    followed.conversation.take(message as ConversationMessage);
    return true;
  }

  /** An agent is gone: nothing more comes of it. */
  agentLeft(paneKey: string): void {
    for (const followed of this.#followed.values()) {
      if (followed.paneKey !== paneKey) continue;
      this.#drop(followed);
      followed.conversation.ended('the agent has ended');
    }
  }

  #hello(request: ConverterRequest): void {
    const { id, type, protocol } = request;
    if (this.#isReady) this.#fail(request, 'already handshaked');
    else if (protocol === CONVERTER_PROTOCOL) {
      this.#isReady = true;
      this.#parts.send({ id, type, ok: true, protocol, serverVersion: SERVER_VERSION });
    } else this.#parts.send({ id, type, ok: false, error: 'unsupported protocol version' });
  }

  #answer(request: ConverterRequest): boolean {
    switch (request.type) {
      case 'list-conversations':
        this.#list(request);
        return true;
      case 'subscribe-conversation':
      case 'resume-conversation':
        this.#subscribe(request);
        return true;
      case 'follow-agent':
        this.#follow(request);
        return true;
      case 'update-filter':
        this.#updateFilter(request);
        return true;
      case 'unsubscribe':
        this.#unsubscribe(request, ({ id }) => id === request.subscriptionId);
        return true;
      case 'unsubscribe-agent':
        this.#unsubscribe(request, ({ agentName }) => agentName === (request.agent ?? ''));
        return true;
      default:
        return false;
    }
  }

  #conversations(): readonly Conversation[] {
    let found: readonly Conversation[] = [];
    this.#parts.session().call('list_conversations', {}, (result) => {
      if (result.ok) found = (result.value as { conversations: Conversation[] }).conversations;
    });
    return found;
  }

  #list({ id, type }: ConverterRequest): void {
    const agents = new Map(this.#parts.agents().map((agent) => [agent.paneKey, agent]));
    const conversations = this.#conversations().flatMap((each) => {
      const agent = agents.get(each.pane_key);
      if (!agent) return [];
      const { name: agentName, runtime } = agent;
      return [{ conversationId: conversationIdOf(agent, each), agentName, runtime }];
    });
    this.#parts.send({ id, type, conversations });
  }

  #subscribe(request: ConverterRequest): void {
    const { conversationId: wantedId = '' } = request;
    const agent = this.#agentOf(wantedId);
    if (wantedId === '') this.#fail(request, 'conversationId required');
    else if (agent === null) this.#fail(request, 'conversation not found');
    else if (this.#isPending(wantedId)) {
      this.#fail(request, 'already pending subscription for this conversation');
    } else {
      const session = wantedId.slice(agent.runtime.length + agent.name.length + 2);
      const input = { conversation: `${agent.runtime}:${session}` };
      const followed = this.#open(request, {
        ...{ agent, agentName: null, wantedId, input, isAnswer: true },
      });
      if (followed === null || followed.conversation.conversationId !== null) return;
      followed.timer = setTimeout(() => {
        this.#drop(followed);
        this.#fail(request, 'conversation not found within timeout');
      }, this.#parts.pendingMs ?? PENDING_MS);
    }
  }

  #isPending(wanted: string): boolean {
    const isOf = ({ wantedId, conversation }: Followed) =>
      wantedId === wanted && conversation.conversationId === null;
    return [...this.#followed.values()].some(isOf);
  }

  #follow(request: ConverterRequest): void {
    const { agent: name = '' } = request;
    if (name === '') {
      this.#fail(request, 'agent required');
      return;
    }
    const agent = this.#parts.agents().find((each) => each.name === name);
    if (!agent) {
      this.#fail(request, 'agent not found');
      return;
    }
    for (const each of this.#followed.values()) if (each.agentName === name) this.#drop(each);
    const wanted = { agentName: name, wantedId: null, input: {}, isAnswer: false };
    this.#open(request, { agent, ...wanted });
  }

  /** Null where it was refused, which was answered. */
  #open(request: ConverterRequest, wanted: Wanted): Followed | null {
    const { agent, agentName, wantedId, isAnswer } = wanted;
    const { paneKey, runtimeId } = agent;
    const id = `sub-${this.#nextId}`;
    this.#nextId += 1;
    const followed: Followed = {
      ...{ id, stream: '', paneKey, agentName, wantedId, timer: null },
      conversation: new FollowedConversation({
        subscriptionId: id,
        agent: () => this.#parts.agents().find((each) => each.paneKey === paneKey) ?? agent,
        filter: eventFilter(request.filter),
        requestId: isAnswer ? request.id : null,
        send: this.#parts.send,
        onBegan: () => {
          if (followed.timer) clearTimeout(followed.timer);
        },
      }),
    };
    // A cursor that is none of ours is a gap.
    const from =
      request.cursor === undefined
        ? { last: HISTORY }
        : { last: HISTORY, cursor: ourCursor(request.cursor) ?? '-' };
    const input = { ref: `runtime:${runtimeId}`, ...wanted.input, ...from };
    let isOpen = false;
    this.#parts.session().call('watch_conversation', input, (result) => {
      if (!result.ok) {
        this.#fail(request, result.problem.message);
        return;
      }
      const opened = result.value as { subscription: string; conversation: Conversation | null };
      isOpen = true;
      followed.stream = opened.subscription;
      this.#followed.set(id, followed);
      if (!isAnswer) this.#answerFollow(request, { id, agent, conversation: opened.conversation });
    });
    return isOpen ? followed : null;
  }

  #answerFollow(
    { id: requestId, type }: ConverterRequest,
    follow: {
      readonly id: string;
      readonly agent: ConversingAgent;
      readonly conversation: Conversation | null;
    },
  ): void {
    const { id: subscriptionId, agent, conversation } = follow;
    this.#parts.send({
      ...{ id: requestId, type, ok: true, subscriptionId },
      ...(conversation ? { conversationId: conversationIdOf(agent, conversation) } : {}),
      conversationSupported: conversationAgents.some((each) => each === agent.runtime),
    });
  }

  #updateFilter(request: ConverterRequest): void {
    const { id, type, subscriptionId = '', filter } = request;
    const followed = this.#followed.get(subscriptionId);
    if (followed) {
      followed.conversation.setFilter(eventFilter(filter));
      this.#parts.send({ id, type, ok: true });
    } else this.#fail(request, 'subscription not found');
  }

  #unsubscribe({ id, type }: ConverterRequest, isMeant: (followed: Followed) => boolean): void {
    for (const each of this.#followed.values()) if (isMeant(each)) this.#drop(each);
    this.#parts.send({ id, type, ok: true });
  }

  #drop(followed: Followed): void {
    if (followed.timer) clearTimeout(followed.timer);
    this.#followed.delete(followed.id);
    const { stream: subscription } = followed;
    this.#parts.session().call('unsubscribe', { subscription }, () => {});
  }

  /** Of `runtime:agent:session`; names of agents may hold colons. */
  #agentOf(conversationId: string): ConversingAgent | null {
    const isOf = ({ runtime, name }: ConversingAgent) =>
      conversationId.startsWith(`${runtime}:${name}:`);
    const found = this.#parts.agents().filter(isOf);
    return found.sort((one, other) => other.name.length - one.name.length)[0] ?? null;
  }

  #fail({ id }: ConverterRequest, error: string): void {
    this.#parts.send({ id, type: 'error', error });
  }
}
