// When the next listing of a server is due. Pure: times come in as arguments.

import { type Config, defaultConfig } from '../../schema/config.ts';

/** The least time between two listings, also after wake-ups and notifications. */
const GAP_MS = 20;
/** Listings may take a fortieth of the time, so that a thousand panes cost what thirty do. */
const COST_FACTOR = 40;
/** Requested listings may take one fifth of the time. */
const URGENT_COST_FACTOR = 5;
/** Whatever one listing cost: without taps a change is seen by it, and may take 2 s at most. */
const WAIT_MS_MAX = 1_200;
const GAP_MS_MAX = 500;
/** On a busy machine a listing takes longer than it costs: the shortest of so many counts. */
const COSTS_KEPT = 6;

/** `quiet`: output is not tapped, and no pane has printed for a while. */
export type ListingMode = 'tapped' | 'untapped' | 'quiet' | 'degraded';

/** Read each time, because the configuration may change. */
type PaceConfig = () => Config['tmux'];

export class ListingPace {
  readonly #config: PaceConfig;
  #dueMs = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  #costMs = 0;
  readonly #costsMs: number[] = [];

  constructor(config: PaceConfig = () => defaultConfig.tmux) {
    this.#config = config;
  }

  get dueMs(): number {
    return this.#dueMs;
  }

  /** Something may be new. */
  ask(nowMs: number): void {
    const gapMs = Math.min(Math.max(GAP_MS, this.#costMs * URGENT_COST_FACTOR), GAP_MS_MAX);
    this.#dueMs = Math.min(this.#dueMs, Math.max(nowMs, this.#endedMs + gapMs));
  }

  /** A listing has begun: later requests need another one. */
  begin(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** A listing has ended and took so long, in tmux and here. */
  end(nowMs: number, costMs: number, mode: ListingMode): void {
    this.#endedMs = nowMs;
    this.#costMs = costMs;
    this.#costsMs.push(costMs);
    if (this.#costsMs.length > COSTS_KEPT) this.#costsMs.shift();
    const leastMs = Math.min(...this.#costsMs);
    const waitMs = Math.max(this.#intervalMs(mode), Math.min(leastMs * COST_FACTOR, WAIT_MS_MAX));
    this.#dueMs = Math.min(Math.max(this.#dueMs, nowMs + GAP_MS), nowMs + waitMs);
  }

  /** Without taps only a listing shows titles and which screens changed. */
  #intervalMs(mode: ListingMode): number {
    const { sweepMs, tappedSweepMs, quietSweepMs, degradedSweepMs } = this.#config();
    const intervals = { untapped: sweepMs, tapped: tappedSweepMs, degraded: degradedSweepMs };
    return mode === 'quiet' ? Math.max(sweepMs, quietSweepMs) : intervals[mode];
  }
}
