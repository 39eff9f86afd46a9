// Work that is asked for by several: a watch, a beat, a change. It never runs twice at once; asked
// for while it runs, it runs once more, and never without a pause, however often it is asked for.

import { setTimeout as pause } from 'node:timers/promises';

/** A file that is written without end is read so often at most. Nobody sees the delay. */
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

  /** Runs it soon. What fails is told, and tried again when it is next asked for. */
  request(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#run();
  }

  /** What runs goes on to its end; it asks `isEnded` before it does anything that counts. */
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
