// One connection to the daemon's socket: lines of JSON, answers matched to their calls by id, and
// pushes handed on in order. Every call has a deadline; nothing is retried here.

import type { Socket } from 'node:net';
import { connectUnix } from '../platform/files/unix-connect.ts';
import { LineReader } from '../platform/text/line-reader.ts';
import { DaemonError, daemonDown, daemonFault } from './daemon-error.ts';

/** A listing of thousands of panes is far below it; a peer that sends more is no daemon. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;

export interface PushLine {
  readonly method: string;
  readonly params: unknown;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly data?: { readonly code?: unknown; readonly hint?: unknown };
  };
}

/** Connects, or rejects with a DaemonError: `E_DAEMON_DOWN`, `E_NOT_PERMITTED` or `timeout`. */
export async function openConnection(socketPath: string, timeoutMs: number): Promise<Connection> {
  const socket = await connectUnix(socketPath, timeoutMs);
  if (!('kind' in socket)) return new Connection(socket, socketPath);
  if (socket.kind === 'refused') throw connectProblem(socket.error, socketPath);
  throw daemonFault('timeout', `nobody took the connection to ${socketPath} in time`);
}

function connectProblem(error: NodeJS.ErrnoException, socketPath: string): DaemonError {
  if (error.code !== 'EACCES' && error.code !== 'EPERM') {
    return daemonDown(`no daemon answers at ${socketPath} (${error.code ?? error.message})`);
  }
  const message = `the socket ${socketPath} belongs to another user`;
  return new DaemonError({ code: 'E_NOT_PERMITTED', rpcCode: -32003, message });
}

export class Connection {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #calls = new Map<number, Call>();
  #nextId = 1;
  readonly #lines = new LineReader(LINE_BYTES_MAX);
  #end: DaemonError | null = null;
  /** Told in order; set before the call whose pushes it is to see. */
  onPush: ((push: PushLine) => void) | null = null;
  /** Told once, when nothing more will come. */
  onEnd: (() => void) | null = null;

  constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#finish(daemonDown(`${path}: ${error.message}`)));
    socket.on('close', () => this.#finish(daemonDown(`the daemon at ${path} hung up`)));
  }

  get isClosed(): boolean {
    return this.#end !== null;
  }

  /** The answer, or a rejection with a DaemonError. */
  call(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        this.#calls.delete(id);
        reject(
          daemonFault('timeout', `${method}: no answer from ${this.#path} in ${timeoutMs} ms`),
        );
      }, timeoutMs);
      this.#calls.set(id, { resolve, reject, timer });
      this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** Stops and goes on reading, so that a slow consumer is known to the daemon as one. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
    this.#finish(daemonDown('the connection was closed'));
  }

  #take(bytes: Buffer): void {
    const lines = this.#lines.push(bytes);
    for (const line of lines ?? []) if (line.length > 0 && !this.#takeLine(line)) return;
    if (lines === null) this.#fail('it sent a line without an end');
  }

  #takeLine(line: Buffer): boolean {
    let message: Message | null = null;
    try {
      message = JSON.parse(line.toString('utf8')) as Message | null;
    } catch {
      // Told below: a daemon never sends what is not JSON.
    }
    if (typeof message !== 'object' || message === null) return this.#fail('it sent no JSON');
    if (typeof message.method === 'string') {
      this.onPush?.({ method: message.method, params: message.params });
      return true;
    }
    this.#answer(message);
    return true;
  }

  #answer(message: Message): void {
    // An answer without an id tells of a line that the daemon could not read: it is about us all.
    if (message.id === null && message.error) {
      this.#finish(errorOf(message.error));
      return;
    }
    const call = typeof message.id === 'number' ? this.#calls.get(message.id) : undefined;
    if (!call) return;
    this.#calls.delete(message.id as number);
    clearTimeout(call.timer);
    if (message.error) call.reject(errorOf(message.error));
    else call.resolve(message.result);
  }

  #fail(what: string): false {
    this.#finish(daemonFault('protocol_desync', `${this.#path}: ${what}`));
    return false;
  }

  #finish(error: DaemonError): void {
    if (this.#end) return;
    this.#end = error;
    this.#socket.destroy();
    for (const { reject, timer } of this.#calls.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#calls.clear();
    this.onEnd?.();
  }
}

function errorOf(error: NonNullable<Message['error']>): DaemonError {
  const { data } = error;
  return new DaemonError({
    code: typeof data?.code === 'string' ? data.code : 'protocol_desync',
    rpcCode: typeof error.code === 'number' ? error.code : -32603,
    message: typeof error.message === 'string' ? error.message : 'the daemon refused',
    hint: typeof data?.hint === 'string' ? data.hint : null,
  });
}
