// The one clock of the daemon: epoch milliseconds that never go back, not over a restart either.
// Stamps order evidence and timers count on them, so a wall clock that is set back must not freeze
// the world until it has caught up.

/** What a clock is made of; tests pass their own. */
export interface TimeSources {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
}

const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A clock that starts at the wall clock's time or at `floorMs`, whichever is later. */
export function steadyClock(floorMs: number, time: TimeSources = systemTime): () => number {
  const baseMs = Math.max(time.wallMs(), floorMs);
  const startMs = time.monotonicMs();
  return () => baseMs + (time.monotonicMs() - startMs);
}
