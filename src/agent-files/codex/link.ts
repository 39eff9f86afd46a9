// The connection to one app server of Codex, as an observer, over any wire. It
// comes back by itself, never answers what the server asks, and everything that it waits for has a
// deadline. What the messages mean is server.ts's.

import { type Fields, isFields, readFields } from '../../agents/signals/fields.ts';
import { type Backoff, backoff } from '../../platform/backoff.ts';
import { RpcCalls } from '../../platform/rpc/rpc-calls.ts';
import { ANSWER_MS, type CodexWire, type WireEndpoint } from './wire.ts';

const RETRY_FIRST_MS = 250;
const RETRY_CAP_MS = 5_000;
/** One that closes sooner is not worth a quick retry. */
const HEALTHY_MS = 10_000;
/** After this silence the server is pinged, and has as long again to answer. */
const QUIET_MS = 5_000;

export interface CodexLinkOptions {
  readonly endpoint: WireEndpoint;
  readonly nowMs: () => number;
  /** The connection is open; called again after each reconnection. */
  readonly onOpen: (link: CodexLink) => Promise<void>;
  readonly onNotice: (method: string, params: Fields, emittedAtMs: number | null) => void;
  readonly onClose: () => void;
  readonly onProblem: (problem: string) => void;
}

export class CodexLink implements Disposable {
  readonly #options: CodexLinkOptions;
  readonly #backoff: Backoff;
  #wire: CodexWire | null = null;
  /** Of the wire that is open. */
  #calls: RpcCalls | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isOpen = false;
  #isEnded = false;
  #openedAtMs = 0;
  #lastMessageAtMs = 0;

  constructor(options: CodexLinkOptions) {
    this.#options = options;
    this.#backoff = backoff({
      firstMs: RETRY_FIRST_MS,
      capMs: RETRY_CAP_MS,
      random: Math.random,
    });
    void this.#connect();
  }

  /** Whether the server answers. Asks for a sign of life where it has been silent. */
  isAlive(): boolean {
    if (!this.#isOpen || this.#wire === null) return false;
    const quietMs = this.#options.nowMs() - this.#lastMessageAtMs;
    if (quietMs > QUIET_MS + ANSWER_MS) this.#wire.end();
    else if (quietMs > QUIET_MS) this.#wire.ping();
    return quietMs <= QUIET_MS + ANSWER_MS;
  }

  /** The result of a request. One that is not answered in time ends the connection. */
  request(method: string, params: Fields): Promise<unknown> {
    const wire = this.#wire;
    if (wire === null || this.#calls === null) return Promise.reject(closed());
    const onTimeout = (): Error => {
      wire.end();
      return closed();
    };
    return this.#calls.request({ method, params, timeoutMs: ANSWER_MS, onTimeout });
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#wire?.end();
  }

  async #connect(): Promise<void> {
    const { endpoint: place, onProblem } = this.#options;
    this.#retry = null;
    try {
      const wire = await place.open({
        onText: (text) => this.#take(text),
        onAlive: () => this.#noteAlive(),
        onClose: () => this.#closed(),
      });
      if (wire !== null) {
        this.#wire = wire;
        this.#calls = new RpcCalls({ send: (text) => wire.send(text), replyError });
        if (this.#isEnded) wire.end();
        else void this.#greet(wire);
        return;
      }
    } catch (error) {
      onProblem(`${place.name}: ${String(error)}`);
    }
    this.#again();
  }

  async #greet(wire: CodexWire): Promise<void> {
    try {
      await this.request('initialize', { clientInfo: { name: 'agtmux', version: '1' } });
      wire.send(JSON.stringify({ jsonrpc: '2.0', method: 'initialized' }));
      this.#isOpen = true;
      this.#openedAtMs = this.#options.nowMs();
      await this.#options.onOpen(this);
    } catch (error) {
      const { endpoint: place, onProblem } = this.#options;
      if (!this.#isEnded) onProblem(`${place.name}: ${String(error)}`);
      wire.end();
    }
  }

  #take(text: string): void {
    this.#noteAlive();
    const message = readFields(text);
    if (typeof message === 'string') return;
    const { id, method, params, emittedAtMs } = message;
    if (typeof method === 'string') {
      // With an id it is a request to the client that works with the thread.
      if (id !== undefined) return;
      const atMs = typeof emittedAtMs === 'number' ? emittedAtMs : null;
      this.#options.onNotice(method, isFields(params) ? params : {}, atMs);
      return;
    }
    this.#calls?.settle(message);
  }

  #noteAlive(): void {
    this.#lastMessageAtMs = this.#options.nowMs();
  }

  #closed(): void {
    this.#wire = null;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#calls?.end(closed());
    this.#calls = null;
    if (wasOpen && this.#options.nowMs() - this.#openedAtMs > HEALTHY_MS) this.#backoff.reset();
    if (wasOpen) this.#options.onClose();
    this.#again();
  }

  #again(): void {
    if (this.#isEnded) return;
    const delayMs = this.#backoff.nextDelayMs();
    this.#retry = setTimeout(() => void this.#connect(), delayMs).unref();
  }
}

const closed = (): Error => new Error('the connection is closed');
const replyError = (error: unknown): Error =>
  new Error(`refused: ${JSON.stringify(error).slice(0, 200)}`);
