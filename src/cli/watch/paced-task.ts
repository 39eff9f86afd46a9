// Runs a task on request, never twice at once and never more often than its interval: pushes come
// in bursts, and one redraw answers many of them.

export class PacedTask {
  readonly #work: () => Promise<void>;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | null = null;
  #isWorking = false;
  #isWanted = false;
  #isStopped = false;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  readonly #failed = Promise.withResolvers<never>();

  constructor(intervalMs: number, work: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#work = work;
    this.#failed.promise.catch(() => {});
  }

  /** A task that is still running must print nothing when this is true. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Rejects when the task does; never resolves. */
  get failure(): Promise<never> {
    return this.#failed.promise;
  }

  /** Runs the task now, or when the interval since its last start is over. */
  schedule(): void {
    this.#isWanted = true;
    if (this.#isStopped || this.#isWorking || this.#timer !== null) return;
    const waitMs = Math.max(0, this.#lastAtMs + this.#intervalMs - performance.now());
    this.#timer = setTimeout(() => void this.#run(), waitMs);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = null;
    this.#isWorking = true;
    this.#isWanted = false;
    this.#lastAtMs = performance.now();
    try {
      await this.#work();
    } catch (error) {
      this.#failed.reject(error);
    }
    this.#isWorking = false;
    if (this.#isWanted) this.schedule();
  }
}
