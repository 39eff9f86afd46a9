// Which sessions of a server are to be tapped, at a moment at which tmux can attach a client. Pure:
// times come in as arguments.

import { TappedSessions } from './tapped-sessions.ts';

/** Each time tmux wakes up it asks every client about every pane. */
const TAPPED_PANES_MAX = 6_000;
/** tmux polls every pane for each output of a tap; above this number captures are cheaper. */
const PANES_MAX = 500;
const RAISE_FACTOR = 1.2;
/** Sessions that somebody views are tapped however many panes the server has. */
const VIEWED_MAX = 8;
/** Where taps are opened one by one, the next follows when the last has attached. */
const ONE_BY_ONE_MS = 100;

export interface WantedTaps {
  readonly sessionIds: readonly string[];
  /** The first so many show terminals that somebody views. */
  readonly viewedCount: number;
  /** How many panes the server has: the more, the fewer taps. */
  readonly paneCount: number;
  /** As configured. */
  readonly countMax: number;
  readonly isAllowed: boolean;
  /** How long a new tap has to wait before it attaches. */
  readonly attachWaitMs: number;
  readonly isOneByOne: boolean;
}

export class TapRequests {
  readonly #tapped = new TappedSessions();
  /** The limit of taps for this number of panes. */
  #tapsMax = Number.POSITIVE_INFINITY;
  /** When taps that had to wait are to be wanted again. */
  #againMs = Number.POSITIVE_INFINITY;

  /** Whether any session is tapped. */
  get hasTaps(): boolean {
    return this.#tapped.size > 0;
  }

  /** Whether one of these sessions is tapped. */
  isTapped(sessionIds: readonly string[]): boolean {
    return this.#tapped.hasAny(sessionIds);
  }

  /** The sessions to have tapped from now on; null where nothing changes now. */
  want(wanted: WantedTaps, nowMs: number): readonly string[] | null {
    const { paneCount, countMax, isAllowed } = wanted;
    // A pane that comes and goes opens and closes no tap.
    const panesMax = this.#tapsMax === 0 ? PANES_MAX / RAISE_FACTOR : PANES_MAX;
    const tapsMax =
      paneCount > panesMax ? 0 : Math.floor(TAPPED_PANES_MAX / Math.max(1, paneCount));
    if (tapsMax < this.#tapsMax || tapsMax > this.#tapsMax * RAISE_FACTOR) this.#tapsMax = tapsMax;
    const limit = Math.max(this.#tapsMax, Math.min(wanted.viewedCount, VIEWED_MAX));
    const sessionIds = wanted.sessionIds.slice(0, Math.min(countMax, limit));
    if (!isAllowed) return this.#tapped.want([], nowMs);
    const { attachWaitMs, isOneByOne } = wanted;
    const added = this.#tapped.openable(sessionIds, nowMs);
    const addedMax = isOneByOne ? 1 : added.length;
    const waiting = added.slice(attachWaitMs > 0 ? 0 : addedMax);
    if (waiting.length > 0) this.#askAgain(nowMs + (attachWaitMs || ONE_BY_ONE_MS));
    return this.#tapped.want(sessionIds, nowMs, waiting);
  }

  #askAgain(atMs: number): void {
    if (this.#againMs === Number.POSITIVE_INFINITY) this.#againMs = atMs;
  }

  get nextMs(): number {
    return this.#againMs;
  }

  /** Whether the wait is over; true once. */
  takeDue(nowMs: number): boolean {
    const isDue = this.#againMs <= nowMs;
    if (isDue) this.#againMs = Number.POSITIVE_INFINITY;
    return isDue;
  }

  /** Taps that have ended by themselves. */
  ended(sessionIds: readonly string[], nowMs: number): void {
    this.#tapped.ended(sessionIds, nowMs);
  }

  /** All were closed on purpose. */
  closed(): void {
    this.#tapped.clear();
  }
}
