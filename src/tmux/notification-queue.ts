// The notifications that one subscriber has not read yet. Each subscriber has its own queue; it is
// bounded, a gap stands where some were lost, and the end always arrives.

import type { Notification } from '../tmux-wire/notification.ts';

/** A reader that is this far behind does better to list everything again. */
const QUEUE_LENGTH_MAX = 1_024;

export type LinkItem = Notification | { readonly kind: 'gap'; readonly droppedCount: number };

export class NotificationQueue implements AsyncIterableIterator<LinkItem> {
  readonly #items: Notification[] = [];
  readonly #onDone: () => void;
  #droppedCount = 0;
  #hasEnded = false;
  #wake: () => void = () => {};

  /** `onDone` is called when the reader leaves. */
  constructor(onDone: () => void) {
    this.#onDone = onDone;
  }

  push(item: Notification): void {
    if (this.#hasEnded) return;
    // Once something was dropped, all is dropped until the reader has caught up, so that the gap
    // stands where it was.
    if (this.#droppedCount > 0 || this.#items.length >= QUEUE_LENGTH_MAX) this.#droppedCount += 1;
    else this.#items.push(item);
    this.#wake();
  }

  /** The reader gets what is waiting, then the end. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<LinkItem>> {
    for (;;) {
      const item = this.#items.shift();
      if (item) return { done: false, value: item };
      if (this.#droppedCount > 0) {
        const gap = { kind: 'gap', droppedCount: this.#droppedCount } as const;
        this.#droppedCount = 0;
        return { done: false, value: gap };
      }
      if (this.#hasEnded) return { done: true, value: undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  async return(): Promise<IteratorResult<LinkItem>> {
    this.#items.length = 0;
    this.#droppedCount = 0;
    this.end();
    this.#onDone();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
