// The one clock of the daemon: epoch milliseconds that never go back, not over a restart either.
// Stamps order evidence and timers count on them, so a wall clock that is set back must not freeze
// the world until it has caught up. After a system sleep its owner calls `catchUp`. Other programs
// stamp what they write by the wall clock: `fromWall` turns such a time into one of this clock.

/** What a clock is made of; tests pass their own. */
export interface TimeSources {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
}

/** Less is the drift of two clocks; a longer sleep must not stay in every age that is counted. */
const LEAD_MS_MIN = 10_000;

/** Less is drift, or two readings with a pause between them; more is a step of the wall clock. */
const STEP_MS_MIN = 1_000;
/** Steps that are remembered. A machine whose clock is set more often is not worth more. */
const SCALES_MAX = 16;

const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export interface SteadyClock {
  (): number;
  /** Moves to the wall clock after sleep, before any silence is measured. */
  catchUp(): void;
  /** Converts a wall clock time, also after that clock was set. Future times stay future. */
  fromWall(wallMs: number): number;
}

/** What makes a time of the wall clock one of ours, as long as the wall clock was not set. */
interface WallScale {
  /** By our clock. */
  readonly fromMs: number;
  shiftMs: number;
}

/** A clock that starts at the wall clock's time or at `floorMs`, whichever is later. */
export function steadyClock(floorMs: number, time: TimeSources = systemTime): SteadyClock {
  let baseMs = Math.max(time.wallMs(), floorMs);
  const startMs = time.monotonicMs();
  const steadyNow = (): number => baseMs + (time.monotonicMs() - startMs);
  const first: WallScale = { fromMs: Number.NEGATIVE_INFINITY, shiftMs: baseMs - time.wallMs() };
  /** The newest first. */
  const scales = [first];
  let lastMs = baseMs;
  const nowMs = (): number => {
    const atMs = steadyNow();
    const shiftMs = atMs - time.wallMs();
    const current = scales[0] ?? first;
    if (Math.abs(shiftMs - current.shiftMs) < STEP_MS_MIN) current.shiftMs = shiftMs;
    // The step may have been at any moment since the last reading.
    else scales.unshift({ fromMs: lastMs, shiftMs });
    scales.length = Math.min(scales.length, SCALES_MAX);
    lastMs = atMs;
    return atMs;
  };
  const catchUp = (): void => {
    const leadMs = time.wallMs() - nowMs();
    if (leadMs < LEAD_MS_MIN) return;
    baseMs += leadMs;
    lastMs += leadMs;
    // The wall clock went on while ours stood still: what was taken for a step of it was none.
    const { fromMs, shiftMs } = scales[0] ?? first;
    scales[0] = { fromMs: fromMs + leadMs, shiftMs: shiftMs + leadMs };
  };
  const fromWall = (wallMs: number): number => {
    const atMs = nowMs();
    for (const { fromMs, shiftMs } of scales) {
      const steadyMs = wallMs + shiftMs;
      if (steadyMs >= fromMs && steadyMs <= atMs) return steadyMs;
    }
    return wallMs + (scales[0] ?? first).shiftMs;
  };
  return Object.assign(nowMs, { catchUp, fromWall });
}

/** Milliseconds of the monotonic clock that all threads share; only differences count. */
export const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;
