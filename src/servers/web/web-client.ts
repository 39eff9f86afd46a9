// One client of the WebSocket: reads its messages in their order, has operations do what it asks,
// and writes replies and events. What a message may do is decided by the operations.

import type { RawData, WebSocket } from 'ws';
import type { Actor } from '../../operations/ports/operation.ts';
import type { StreamMessage } from '../../operations/ports/stream-message.ts';
import { messageHead } from '../json-rpc.ts';
import { RpcPeer } from '../rpc-peer.ts';
import { type OperationHost, Session } from '../session.ts';
import { type AgentFilter, agentFilter } from './agent-filter.ts';
import { AgentFrames } from './agent-frames.ts';
import type { AgentEvent, AgentList, ListedAgent } from './agent-list.ts';
import { type ConversingAgent, Converter } from './converter/converter.ts';
import { frame, frameTypes, readFrame } from './frames.ts';
import { OutputStreams } from './output-streams.ts';
import { readRequest, type WebRequest } from './web-request.ts';

/** A client is not read from while so many of its messages wait. */
const WAITING_MAX = 64;
/** Prompts that are being typed. */
const RUNNING_MAX = 16;
/** Calls by JSON-RPC that are not answered yet. */
const CALLS_MAX = 64;
/** The longest prompt is a million characters. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
/** Terminals that one client watches. */
const STREAMS_MAX = 64;
/** A client that leaves so much unread has stopped; what it missed cannot be kept for it. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024;

export interface WebClientParts {
  readonly socket: WebSocket;
  readonly host: OperationHost;
  readonly agents: AgentList;
  readonly actor: Actor;
  /** Whether it has to speak the protocol of conversations; else it may. */
  readonly isConverter: boolean;
  readonly pendingMs?: number | undefined;
}

/** The fields of a message, in the order in which they are written. */
type Message = Readonly<Record<string, unknown>>;

export class WebClient implements Disposable {
  readonly #parts: WebClientParts;
  readonly #session: Session;
  readonly #frames: AgentFrames;
  readonly #outputs: OutputStreams;
  readonly #rpc: RpcPeer;
  /** Null while it has not asked for conversations. */
  #converter: Converter | null = null;
  /** Null while it wants no events of agents. */
  #shows: AgentFilter | null = null;
  #tail: Promise<void> = Promise.resolve();
  #waitingCount = 0;
  #isClosed = false;

  constructor(parts: WebClientParts) {
    this.#parts = parts;
    const { socket, host, actor } = parts;
    this.#session = new Session({
      ...{ ...host, actor, streamsMax: STREAMS_MAX },
      push: (subscription, message) => {
        if (this.#outputs.take(subscription, message)) return;
        if (this.#converter?.take(subscription, message)) return;
        this.#push(subscription, message);
      },
      bufferedBytes: () => socket.bufferedAmount,
    });
    this.#outputs = new OutputStreams({
      session: () => this.#session,
      sendFrame: (bytes) => this.#write(bytes),
      onMode: (agent, mode) => this.#send({ type: 'output-mode', agent, ...mode }),
      onEnded: (agent, reason) => this.#send({ type: 'output-ended', agent, reason }),
    });
    this.#rpc = new RpcPeer({
      session: () => this.#session,
      send: (text) => this.#write(text),
      callsMax: CALLS_MAX,
    });
    this.#frames = new AgentFrames({
      agents: parts.agents,
      session: () => this.#session,
      onError: (error) => this.#fail({}, error),
    });
    if (parts.isConverter) this.#converter = this.#openConverter();
    socket.on('message', (data, isBinary) => this.#queue(data, isBinary));
    // `close` follows, with a code that says what was wrong.
    socket.on('error', () => {});
    // Each is answered by itself, whether the answers are read or not.
    socket.on('ping', () => this.#endStopped());
  }

  /** Some agents have come, gone or changed. */
  agentsChanged(events: readonly AgentEvent[]): void {
    for (const event of events) if (event.kind === 'removed') this.#agentLeft(event.agent);
    const shows = this.#shows;
    if (shows === null) return;
    for (const event of events) {
      if (event.kind === 'counted') {
        this.#send({ type: 'agents-count', totalAgents: this.#parts.agents.count });
        continue;
      }
      const { item } = event.agent;
      const kind = shownKind(event, shows);
      if (kind === 'removed') this.#send({ type: 'agent-removed', name: item.name });
      else if (kind !== null) this.#send({ type: `agent-${kind}`, agent: item });
    }
  }

  /** It is gone, or called otherwise: its session was renamed. */
  #agentLeft(agent: ListedAgent): void {
    const { paneKey, item } = agent;
    const isRenamed = this.#parts.agents.has(agent);
    // By its runtime it is still the one that the client has chosen.
    if (isRenamed && this.#outputs.nameOf(paneKey) !== item.name) return;
    const reason = isRenamed ? 'the agent has another name now' : 'the agent has ended';
    this.#outputs.end(paneKey, reason);
    this.#frames.release(agent);
    // What runs there now is not what the client has chosen.
    if (!isRenamed) this.#converter?.agentLeft(paneKey);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#converter?.[Symbol.dispose]();
    this.#session[Symbol.dispose]();
  }

  /** Messages are handled one after the other, in their order. */
  #queue(data: RawData, isBinary: boolean): void {
    const { socket, host } = this.#parts;
    this.#waitingCount += 1;
    if (this.#waitingCount >= WAITING_MAX) socket.pause();
    this.#tail = this.#tail
      .then(() => (this.#isClosed ? undefined : this.#handle(data as Buffer, isBinary)))
      .catch((error: unknown) => host.onDefect(error, 'web'))
      .then(() => {
        this.#waitingCount -= 1;
        if (this.#waitingCount < WAITING_MAX && socket.isPaused) socket.resume();
      });
  }

  async #handle(data: Buffer, isBinary: boolean): Promise<void> {
    if (isBinary) {
      this.#takeFrame(data);
      return;
    }
    if (data.length > TEXT_BYTES_MAX) {
      this.#fail({}, `invalid JSON: more than ${TEXT_BYTES_MAX} bytes`);
      return;
    }
    const request = readRequest(data.toString('utf8'));
    if ('error' in request) this.#fail({}, request.error);
    else if ('call' in request) this.#rpc.serve(request.call);
    else await this.#answer(request);
  }

  /** The payload is the field `data` of the call. */
  #callWithBytes(text: string, payload: Buffer): void {
    const request = readRequest(text);
    if ('error' in request || !('call' in request)) {
      this.#fail({}, 'invalid binary message: expected a call of JSON-RPC');
      return;
    }
    const { call } = request;
    if (call.kind === 'broken') this.#rpc.serve(call);
    else {
      const params = { ...(call.params as object), data: payload.toString('base64') };
      this.#rpc.serve({ ...call, params });
    }
  }

  #push(subscription: string, message: StreamMessage): void {
    if (!('bytes' in message)) this.#rpc.push(subscription, message);
    else this.#write(frame(frameTypes.rpc, messageHead(subscription, message), message.bytes));
  }

  #takeFrame(data: Buffer): void {
    const found = readFrame(data);
    if (!found.ok) {
      this.#fail({}, found.error);
      return;
    }
    const { type, agent: name, payload } = found;
    if (type === frameTypes.rpc) {
      this.#callWithBytes(name, payload);
      return;
    }
    if (this.#converter && type !== frameTypes.upload) {
      const hex = type.toString(16).padStart(2, '0');
      this.#fail({}, `unsupported binary message type: 0x${hex}`);
      return;
    }
    this.#frames.take(type, name, payload);
  }

  #openConverter(): Converter {
    return new Converter({
      session: () => this.#session,
      agents: () => this.#parts.agents.all.map(conversingAgent),
      send: (message) => this.#send(message),
      pendingMs: this.#parts.pendingMs,
    });
  }

  async #answer(request: WebRequest): Promise<void> {
    if (request.type === 'hello') this.#converter ??= this.#openConverter();
    if (this.#converter?.answer(request)) return;
    switch (request.type) {
      case 'list-agents':
        return this.#listAgents(request);
      case 'subscribe-agents':
        return this.#subscribeAgents(request);
      case 'unsubscribe-agents':
        this.#shows = null;
        this.#reply(request, { ok: true });
        return;
      case 'send-prompt':
        return this.#sendPrompt(request);
      case 'subscribe-output':
        if (this.#converter) return this.#unknown(request);
        return this.#subscribeOutput(request);
      case 'unsubscribe-output':
        if (this.#converter) return this.#unknown(request);
        return this.#unsubscribeOutput(request);
      default:
        this.#unknown(request);
    }
  }

  #unknown(request: WebRequest): void {
    const unknownType = request.type.slice(0, 100);
    if (this.#converter === null) this.#fail(request, `unknown message type: ${unknownType}`);
    else this.#send({ id: request.id, type: 'error', error: 'unknown message type', unknownType });
  }

  async #listAgents(request: WebRequest): Promise<void> {
    const shows = await agentFilter(request);
    if ('error' in shows) this.#refuse(request, shows.error);
    else this.#reply(request, { agents: this.#shownBy(shows) });
  }

  async #subscribeAgents(request: WebRequest): Promise<void> {
    const shows = await agentFilter(request);
    if ('error' in shows) {
      this.#refuse(request, shows.error);
      return;
    }
    this.#shows = shows;
    const totalAgents = this.#parts.agents.count;
    this.#reply(request, { ok: true, agents: this.#shownBy(shows), totalAgents });
  }

  #shownBy(shows: AgentFilter) {
    const shown = this.#parts.agents.all.filter(({ item }) => shows(item));
    return shown.map((agent) => this.#converter?.itemOf(conversingAgent(agent)) ?? agent.item);
  }

  #subscribeOutput(request: WebRequest): void {
    const agent = this.#agentOf(request);
    if (agent === null) return;
    if (request.stream === false) {
      this.#readOutput(request, agent);
      return;
    }
    this.#outputs.open(agent, request.agent ?? '', (opened) => {
      if ('mode' in opened) this.#reply(request, { ok: true, ...opened.mode });
      else this.#refuse(request, `capture failed: ${opened.problem.message}`);
    });
  }

  #readOutput(request: WebRequest, { runtimeId }: ListedAgent): void {
    if (this.#session.runningCount >= RUNNING_MAX) {
      this.#refuse(request, 'too many requests are being answered');
      return;
    }
    this.#session.call('read_output', { runtime_id: runtimeId }, (result) => {
      if (!result.ok) this.#refuse(request, `capture failed: ${result.problem.message}`);
      else this.#reply(request, { ok: true, history: (result.value as Message)['text'] });
    });
  }

  /** An agent that is gone is not watched any more either. */
  #unsubscribeOutput(request: WebRequest): void {
    const { agent: name = '' } = request;
    if (name === '') {
      this.#fail(request, 'agent field required');
      return;
    }
    const agent = this.#parts.agents.called(name);
    if (agent) {
      this.#outputs.close(agent.paneKey);
      this.#frames.release(agent);
    }
    this.#reply(request, { ok: true });
  }

  /** Replies when the prompt was typed; other messages do not wait for that. */
  #sendPrompt(request: WebRequest): void {
    const { prompt = '' } = request;
    const agent = this.#agentOf(request);
    if (agent === null) return;
    if (prompt === '') {
      this.#fail(request, 'prompt field required');
      return;
    }
    if (this.#session.runningCount >= RUNNING_MAX) {
      this.#refuse(request, 'too many prompts are being typed');
      return;
    }
    const { runtimeId } = agent;
    const input = { ref: `runtime:${runtimeId}`, if_runtime: runtimeId, text: prompt };
    this.#session.call('send', input, (result) => {
      if (!result.ok) {
        this.#refuse(request, result.problem.message, { code: result.problem.code });
        return;
      }
      const { result: outcome, detail } = result.value as Message;
      this.#reply(request, { ok: true, result: outcome, detail });
    });
  }

  /** The agent that the request names; null where it names none, which was answered. */
  #agentOf(request: WebRequest): ListedAgent | null {
    const { agent: name = '' } = request;
    if (name === '') {
      this.#fail(request, 'agent field required');
      return null;
    }
    const agent = this.#parts.agents.called(name);
    if (agent === null) this.#refuse(request, 'agent not found');
    return agent;
  }

  #reply({ id, type }: WebRequest, fields: Message): void {
    this.#send({ id, type, ...fields });
  }

  /** The request was understood, and is refused. */
  #refuse(request: WebRequest, error: string, more: Message = {}): void {
    this.#reply(request, { ok: false, error, ...more });
  }

  /** What came is no request. */
  #fail({ id }: { readonly id?: string }, error: string): void {
    this.#send({ id, type: 'error', ok: false, error });
  }

  #send(message: Message): void {
    this.#write(JSON.stringify(message));
  }

  #write(data: Buffer | string): void {
    const { socket } = this.#parts;
    if (socket.readyState !== socket.OPEN || this.#endStopped()) return;
    // Whatever was written last: who waits for the client to have read all goes on then.
    socket.send(data, () => {
      if (socket.bufferedAmount === 0 && !this.#isClosed) this.#session.drained();
    });
  }

  /** Ends a client that reads nothing; whether it has. */
  #endStopped(): boolean {
    const { socket } = this.#parts;
    const isStopped = socket.bufferedAmount > UNREAD_BYTES_MAX;
    if (isStopped) socket.terminate();
    return isStopped;
  }
}

/** What a client with that filter is sent; an update may bring an agent into it, or out of it. */
function shownKind(event: Exclude<AgentEvent, { readonly kind: 'counted' }>, shows: AgentFilter) {
  const isShown = shows(event.agent.item);
  if (event.kind !== 'updated') return isShown ? event.kind : null;
  const wasShown = shows(event.before.item);
  if (isShown) return wasShown ? event.kind : 'added';
  return wasShown ? 'removed' : null;
}

const conversingAgent = ({ item, paneKey, runtimeId }: ListedAgent): ConversingAgent => ({
  ...{ item: { ...item }, name: item.name, runtime: item.runtime, paneKey, runtimeId },
});
