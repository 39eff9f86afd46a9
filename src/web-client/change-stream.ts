// The stream of changes as a loop over messages, with a queue that cannot grow: a consumer that
// falls behind gets one snapshot in place of what it did not read.

import type { DaemonError } from '../client/daemon-error.ts';
import type { PushMessage } from '../client/stream.ts';
import type { SubscribeInput } from '../schema/api/stream.ts';
import type { StreamHandlers } from './web-streams.ts';

const QUEUE_MAX = 256;

/** What opens streams. */
interface StreamOpener {
  watch(name: 'subscribe', handlers: StreamHandlers<'subscribe'>): Disposable;
}

export class ChangeStream implements Disposable {
  readonly #opener: StreamOpener;
  readonly #input: SubscribeInput;
  #cursor: string | undefined;
  #queue: PushMessage[] = [];
  #opened: Disposable | null = null;
  #error: DaemonError | null = null;
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor(opener: StreamOpener, input: SubscribeInput) {
    this.#opener = opener;
    this.#input = input;
    this.#cursor = input.cursor;
  }

  async *messages(): AsyncGenerator<PushMessage, void, undefined> {
    this.#open();
    while (!this.#isClosed) {
      const message = this.#queue.shift();
      if (message) yield message;
      else if (this.#error) throw this.#error;
      else await this.#nextWake();
    }
  }

  /** The service lets us in no more. */
  fail(error: DaemonError): void {
    this.#error = error;
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#opened?.[Symbol.dispose]();
    this.#wake?.();
  }

  #open(): void {
    this.#opened = this.#opener.watch('subscribe', {
      input: () => {
        const { cursor: _first, ...input } = this.#input;
        return this.#cursor === undefined ? input : { ...input, cursor: this.#cursor };
      },
      onMessage: (message) => this.#take(message),
      onRefused: (error) => this.fail(error),
    });
  }

  #take(message: PushMessage): void {
    this.#queue.push(message);
    this.#cursor = message.data.cursor;
    if (this.#queue.length > QUEUE_MAX) {
      this.#opened?.[Symbol.dispose]();
      this.#queue = [];
      this.#cursor = undefined;
      this.#open();
    }
    this.#wake?.();
  }

  #nextWake(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
