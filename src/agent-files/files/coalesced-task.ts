// A task that several callers request: a watch, a beat, a change. It never runs twice at once. A
// request while it runs makes it run once more, after a pause, however many requests came.

import { setTimeout as pause } from 'node:timers/promises';

/** A file that is written without end is read at most this often. */
const PAUSE_MS = 20;

export class CoalescedTask implements Disposable {
  readonly #work: () => Promise<void>;
  readonly #onProblem: (error: unknown) => void;
  readonly #pauseMs: number;
  #isRunning = false;
  #isRequested = false;
  #isEnded = false;

  constructor(
    work: () => Promise<void>,
    onProblem: (error: unknown) => void,
    pauseMs: number = PAUSE_MS,
  ) {
    this.#work = work;
    this.#onProblem = onProblem;
    this.#pauseMs = pauseMs;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Runs it soon. A failure is reported; the next request tries again. */
  request(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#run();
  }

  /** A run goes on to its end; it checks `isEnded` before it has an effect. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRequested && !this.#isEnded) {
      this.#isRequested = false;
      await this.#work().catch(this.#onProblem);
      await pause(this.#pauseMs, undefined, { ref: false });
    }
    this.#isRunning = false;
  }
}
