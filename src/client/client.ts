// The typed client of the daemon: JSON-RPC over its Unix socket. It loads nothing but node:net, so
// that a command with one call stays quick. Starting a daemon is start-daemon.ts.

import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import type { Subscribed, SubscribeInput } from '../schema/api/stream.ts';
import { type Connection, openConnection } from './connection.ts';
import { type PushMessage, Stream, type SubscribeOptions } from './stream.ts';

export { DaemonError } from './daemon-error.ts';
export type { PushMessage, SubscribeOptions } from './stream.ts';

const TIMEOUT_MS = 5_000;

export interface ConnectOptions {
  readonly socketPath: string;
  /** For the connection, and for every call without a timeout of its own. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly timeoutMs?: number;
}

/** A connection that is open until `close`, or until the daemon ends. */
export class DaemonClient {
  readonly socketPath: string;
  readonly #connection: Connection;
  readonly #timeoutMs: number;
  readonly #streams = new Set<Stream>();

  constructor(connection: Connection, { socketPath, timeoutMs = TIMEOUT_MS }: ConnectOptions) {
    this.#connection = connection;
    this.socketPath = socketPath;
    this.#timeoutMs = timeoutMs;
  }

  /** Every later call is refused: the daemon has ended, or the client was closed. */
  get isClosed(): boolean {
    return this.#connection.rpc.isEnded;
  }

  /** The operation's output. Rejects with a DaemonError. */
  async call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    options: CallOptions = {},
  ): Promise<OperationMap[Name]['output']> {
    const reply = this.#connection.call(name, input, options.timeoutMs ?? this.#timeoutMs);
    return (await reply) as OperationMap[Name]['output'];
  }

  /**
   * Snapshot, then changes, on a connection of its own, so that a reader that stops reading holds
   * up nothing else. Ends when the connection ends, the loop is left or the client is closed; with
   * `resume` it outlives the daemon.
   */
  async *subscribe(
    input: SubscribeInput = {},
    options: SubscribeOptions = {},
  ): AsyncGenerator<PushMessage, void, undefined> {
    const stream = new Stream({
      input,
      options,
      open: () => openConnection(this.socketPath, this.#timeoutMs),
      subscribe: async (connection, params) =>
        (await connection.call('subscribe', params, this.#timeoutMs)) as Subscribed,
    });
    this.#streams.add(stream);
    try {
      yield* stream.messages();
    } finally {
      this.#streams.delete(stream);
      stream[Symbol.dispose]();
    }
  }

  close(): void {
    for (const stream of this.#streams) stream[Symbol.dispose]();
    this.#connection[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

/** Connects. Rejects with a DaemonError: `E_DAEMON_DOWN` when nobody answers, or `timeout`. */
export async function connectDaemon(options: ConnectOptions): Promise<DaemonClient> {
  const connection = await openConnection(options.socketPath, options.timeoutMs ?? TIMEOUT_MS);
  return new DaemonClient(connection, options);
}
