// Which sessions of a server are to be tapped, asked for at a moment at which tmux bears it. Owns
// the timer of the wait.

import { QuietPeriod } from './quiet-period.ts';
import { TappedSessions } from './tapped-sessions.ts';

/** Each time tmux wakes up it asks every client about every pane. */
const ASKED_PANES_MAX = 6_000;
/**
 * For each piece that we hear tmux wakes up once more, and asks the kernel about every pane: a
 * millisecond for a thousand. With so many panes looks at their screens are cheaper.
 */
const PANES_MAX = 500;
const RAISE_FACTOR = 1.2;

export interface TapRequestsOptions {
  readonly isAllowed: () => boolean;
  readonly countMax: () => number;
  /** Opens taps on these sessions and closes the others. */
  readonly tap: (sessionIds: readonly string[]) => void;
  /** The wait is over: say again what is wanted. */
  readonly onQuiet: () => void;
}

export class TapRequests implements Disposable {
  readonly #options: TapRequestsOptions;
  readonly #tapped = new TappedSessions();
  readonly #quiet = new QuietPeriod();
  /** So many taps the server bears. */
  #tapsMax = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: TapRequestsOptions) {
    this.#options = options;
  }

  /** Whether any session is tapped. */
  get hasTaps(): boolean {
    return this.#tapped.size > 0;
  }

  /** Whether one of these sessions is tapped. */
  isTapped(sessionIds: readonly string[]): boolean {
    return this.#tapped.hasAny(sessionIds);
  }

  /** tmux has told of something: taps wait until it is quiet. */
  noticed(nowMs: number): void {
    this.#quiet.noticed(nowMs);
  }

  /** Of these sessions as many as a server with so many panes bears. */
  want(wanted: readonly string[], paneCount: number, nowMs: number): void {
    // A pane that comes and goes opens and closes no tap.
    const panesMax = this.#tapsMax === 0 ? PANES_MAX / RAISE_FACTOR : PANES_MAX;
    const borne = paneCount > panesMax ? 0 : Math.floor(ASKED_PANES_MAX / Math.max(1, paneCount));
    if (borne < this.#tapsMax || borne > this.#tapsMax * RAISE_FACTOR) this.#tapsMax = borne;
    const sessionIds = wanted.slice(0, Math.min(this.#options.countMax(), this.#tapsMax));
    const isAllowed = this.#options.isAllowed();
    const isMore = isAllowed && sessionIds.some((each) => !this.#tapped.hasAny([each]));
    const waitMs = isMore ? this.#quiet.waitMs(nowMs) : 0;
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#options.onQuiet();
      }, waitMs).unref();
      return;
    }
    const changed = this.#tapped.want(isAllowed ? sessionIds : [], nowMs);
    if (changed !== null) this.#options.tap(changed);
  }

  /** Taps that have ended by themselves. */
  ended(sessionIds: readonly string[], nowMs: number): void {
    this.#tapped.ended(sessionIds, nowMs);
  }

  /** All were closed on purpose. */
  closed(): void {
    this.#tapped.clear();
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.tap([]);
  }
}
