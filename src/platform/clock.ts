// The one clock of the daemon: epoch milliseconds that never go back, not over a restart either.
// Stamps order evidence and timers count on them, so a wall clock that is set back must not freeze
// the world until it has caught up. After a system sleep its owner calls `catchUp`.

/** What a clock is made of; tests pass their own. */
export interface TimeSources {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
}

/** Less is the drift of two clocks; a longer sleep must not stay in every age that is counted. */
const LEAD_MS_MIN = 10_000;

const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export interface SteadyClock {
  (): number;
  /**
   * Moves it forward to a wall clock that is far ahead: the monotonic clock of some systems stands
   * still while the machine sleeps. It does not do so by itself: the sleep
   * must be handled before any silence is measured.
   */
  catchUp(): void;
}

/** A clock that starts at the wall clock's time or at `floorMs`, whichever is later. */
export function steadyClock(floorMs: number, time: TimeSources = systemTime): SteadyClock {
  let baseMs = Math.max(time.wallMs(), floorMs);
  const startMs = time.monotonicMs();
  const nowMs = (): number => baseMs + (time.monotonicMs() - startMs);
  const catchUp = (): void => {
    const leadMs = time.wallMs() - nowMs();
    if (leadMs >= LEAD_MS_MIN) baseMs += leadMs;
  };
  return Object.assign(nowMs, { catchUp });
}

/** Milliseconds of a clock that all threads share and nobody can set; only differences count. */
export const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;
