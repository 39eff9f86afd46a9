// One action at a time for each pane, in the order of their requests. A waiting action can be
// cancelled until its turn; the number of waiting ones is bounded.

/** More callers than this for one pane are a program gone wild. */
const WAITING_MAX = 256;

export class PaneLocks {
  readonly #tails = new Map<string, { last: Promise<void>; count: number }>();

  /**
   * Null when too many wait. Rejects when the signal aborts before its turn. The work learns
   * whether others went before it.
   */
  async run<T>(
    key: string,
    signal: AbortSignal,
    work: (hasWaited: boolean) => Promise<T>,
  ): Promise<T | null> {
    const queue = this.#tails.get(key) ?? { last: Promise.resolve(), count: 0 };
    if (queue.count >= WAITING_MAX) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = queue.last;
    const hasWaited = queue.count > 0;
    queue.last = before.then(() => promise);
    queue.count += 1;
    this.#tails.set(key, queue);
    try {
      await before;
      signal.throwIfAborted();
      return await work(hasWaited);
    } finally {
      resolve();
      queue.count -= 1;
      if (queue.count === 0) this.#tails.delete(key);
    }
  }
}
