// One subscription as a loop over messages: a bounded queue between the socket and the consumer,
// and the reconnection after the daemon was restarted.

import type { RpcMessage } from '../platform/rpc/rpc-calls.ts';
import type { Push, PushName, Subscribed, SubscribeInput } from '../schema/api/stream.ts';
import type { Connection } from './connection.ts';
import { isPassing } from './daemon-error.ts';

/** With this many unread messages the socket is paused; the daemon then sends one snapshot. */
const QUEUE_MAX = 64;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;

export interface SubscribeOptions {
  /** After the connection was lost: connect again, and go on at the last cursor. */
  readonly resume?: boolean;
  /** Called when the connection was lost, and when it is back. Only with `resume`. */
  readonly onLink?: (link: 'lost' | 'back') => void;
  /** Called after each failed attempt to reconnect: it may start the daemon. */
  readonly revive?: () => Promise<void>;
}

/** One message of a subscription. */
export type PushMessage = {
  readonly [Name in PushName]: { readonly type: Name; readonly data: Push<Name> };
}[PushName];

export interface StreamParts {
  readonly input: SubscribeInput;
  readonly options: SubscribeOptions;
  readonly open: () => Promise<Connection>;
  readonly subscribe: (connection: Connection, params: SubscribeInput) => Promise<Subscribed>;
}

export class Stream {
  readonly #parts: StreamParts;
  readonly #queue: PushMessage[] = [];
  #connection: Connection | null = null;
  #isEnded = false;
  #isClosed = false;
  #isPaused = false;
  #wake: (() => void) | null = null;
  #cursor: string | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#cursor = parts.input.cursor;
  }

  async *messages(): AsyncGenerator<PushMessage, void, undefined> {
    await this.#connect().catch((error: unknown) => {
      if (!this.#isClosed) throw error;
    });
    while (!this.#isClosed) {
      yield* this.#drain();
      if (this.#isClosed || !this.#parts.options.resume) return;
      this.#parts.options.onLink?.('lost');
      await this.#reconnect();
      if (!this.#isClosed) this.#parts.options.onLink?.('back');
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#connection?.[Symbol.dispose]();
    this.#wake?.();
  }

  /** What comes until the connection ends; what came before its end is still handed out. */
  async *#drain(): AsyncGenerator<PushMessage, void, undefined> {
    while (!this.#isClosed) {
      const message = this.#queue.shift();
      if (message) {
        this.#cursor = message.data.cursor;
        if (this.#isPaused && this.#queue.length === 0) this.#flow(false);
        yield message;
      } else if (this.#isEnded) {
        return;
      } else {
        await this.#nextWake();
      }
    }
  }

  async #connect(): Promise<void> {
    const connection = await this.#parts.open();
    if (this.#isClosed) return connection[Symbol.dispose]();
    this.#connection = connection;
    this.#isEnded = false;
    this.#isPaused = false;
    connection.rpc.onMessage = (message) => this.#take(message);
    connection.rpc.onEnd = () => {
      this.#isEnded = true;
      this.#wake?.();
    };
    const { cursor: _first, ...input } = this.#parts.input;
    const cursor = this.#cursor;
    await this.#parts.subscribe(connection, cursor === undefined ? input : { ...input, cursor });
  }

  /** Tries until it succeeds or the stream is closed: a daemon that restarts is back soon. */
  async #reconnect(): Promise<void> {
    for (
      let waitMs = RETRY_FIRST_MS;
      !this.#isClosed;
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)
    ) {
      try {
        return await this.#connect();
      } catch (error) {
        this.#connection?.[Symbol.dispose]();
        if (!isPassing(error)) throw error;
      }
      await this.#parts.options.revive?.();
      if (this.#isClosed) return;
      const timer = setTimeout(() => this.#wake?.(), waitMs);
      await this.#nextWake();
      clearTimeout(timer);
    }
  }

  #take({ method, params }: RpcMessage): void {
    this.#queue.push({ type: method, data: params } as PushMessage);
    if (this.#queue.length >= QUEUE_MAX && !this.#isPaused) this.#flow(true);
    this.#wake?.();
  }

  #flow(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#connection?.rpc.pause();
    else this.#connection?.rpc.resume();
  }

  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }
}
