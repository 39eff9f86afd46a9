// The connection to one app server of Codex, as an observer: WebSocket over a Unix socket of the
// user's own. It comes back by itself, never answers what the server asks, and everything that it
// waits for has a deadline. What the messages mean is codex-server.ts's.

import { lstat, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import type { WebSocket } from 'ws';
import { type Fields, isFields, readFields } from '../agents/signals/fields.ts';
import { type Backoff, backoff } from '../platform/backoff.ts';

const RETRY_FIRST_MS = 250;
const RETRY_CAP_MS = 5_000;
/** One that closes sooner is not worth a quick retry. */
const HEALTHY_MS = 10_000;
/** A server that starts on a busy machine needs seconds; one that hangs must not be waited for. */
const ANSWER_MS = 10_000;
/** Threads are read without their turns: a few KB. */
const MESSAGE_BYTES_MAX = 1_048_576;
/** A server that said nothing for so long is asked for a sign of life, and then given as long. */
const QUIET_MS = 5_000;

export interface CodexLinkOptions {
  readonly socketPath: string;
  readonly nowMs: () => number;
  /** A server answers. It is asked from here, again after each reconnection. */
  readonly onOpen: (link: CodexLink) => Promise<void>;
  readonly onNotice: (method: string, params: Fields, emittedAtMs: number | null) => void;
  readonly onClose: () => void;
  readonly onProblem: (problem: string) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class CodexLink implements Disposable {
  readonly #options: CodexLinkOptions;
  readonly #backoff: Backoff;
  readonly #waiting = new Map<number, Waiting>();
  #socket: WebSocket | null = null;
  #retry: NodeJS.Timeout | null = null;
  #nextId = 1;
  #isOpen = false;
  #isEnded = false;
  #openedAtMs = 0;
  #heardAtMs = 0;

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
    if (!this.#isOpen || this.#socket === null) return false;
    const quietMs = this.#options.nowMs() - this.#heardAtMs;
    if (quietMs > QUIET_MS + ANSWER_MS) this.#socket.terminate();
    else if (quietMs > QUIET_MS) this.#socket.ping();
    return quietMs <= QUIET_MS + ANSWER_MS;
  }

  /** The result of a request. One that is not answered in time ends the connection. */
  request(method: string, params: Fields): Promise<unknown> {
    const socket = this.#socket;
    if (socket === null) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId += 1;
      const timer = setTimeout(() => socket.terminate(), ANSWER_MS).unref();
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ id, method, params });
    });
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  async #connect(): Promise<void> {
    const { socketPath, onProblem } = this.#options;
    this.#retry = null;
    try {
      const path = await ownSocket(socketPath);
      if (path !== null && !this.#isEnded) {
        // Loaded only where there is a server to talk to.
        const { WebSocket } = await import('ws');
        if (!this.#isEnded) this.#listen(openSocket(WebSocket, path));
        return;
      }
    } catch (error) {
      onProblem(`${socketPath}: ${String(error)}`);
    }
    this.#again();
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('open', () => void this.#greet(socket));
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#take(String(data));
    });
    socket.on('pong', () => this.#heard());
    // Told by `close` too, which follows.
    socket.on('error', () => null);
    socket.on('close', () => this.#closed());
  }

  async #greet(socket: WebSocket): Promise<void> {
    try {
      await this.request('initialize', { clientInfo: { name: 'agtmux', version: '1' } });
      this.#send({ method: 'initialized' });
      this.#isOpen = true;
      this.#openedAtMs = this.#options.nowMs();
      await this.#options.onOpen(this);
    } catch (error) {
      this.#options.onProblem(`${this.#options.socketPath}: ${String(error)}`);
      socket.terminate();
    }
  }

  #take(text: string): void {
    this.#heard();
    const message = readFields(text);
    if (typeof message === 'string') return;
    const { id, method, params, result, error, emittedAtMs } = message;
    if (typeof method === 'string') {
      // With an id it is a question for whoever works with the thread, which we are not.
      if (id !== undefined) return;
      const atMs = typeof emittedAtMs === 'number' ? emittedAtMs : null;
      this.#options.onNotice(method, isFields(params) ? params : {}, atMs);
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(id as number);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(`refused: ${JSON.stringify(error).slice(0, 200)}`));
  }

  #send(message: Fields): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', ...message }), () => null);
  }

  #heard(): void {
    this.#heardAtMs = this.#options.nowMs();
  }

  #closed(): void {
    this.#socket = null;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(closed());
    }
    this.#waiting.clear();
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

/** The socket behind the path; null where there is none, or where it is somebody else's. */
async function ownSocket(socketPath: string): Promise<string | null> {
  const path = await realpath(socketPath).catch(() => null);
  const stats = path === null ? null : await lstat(path).catch(() => null);
  return stats?.isSocket() && stats.uid === process.getuid?.() ? path : null;
}

const openSocket = (Socket: typeof WebSocket, path: string): WebSocket =>
  new Socket('ws://localhost/', {
    createConnection: () => connect(path),
    handshakeTimeout: ANSWER_MS,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    followRedirects: false,
  });
