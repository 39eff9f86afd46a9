// How long to wait before trying again: doubling, capped, and spread at random so that many
// waiters do not come back in step. Who counts as healthy again is for the caller to say.

export interface Backoff {
  /** The wait before the next try; each call makes the one after it longer. */
  nextDelayMs(): number;
  reset(): void;
  /** A try has succeeded and keeps nothing open. A row of them that lasts is a reset. */
  succeeded(nowMs: number): void;
}

/**
 * Waits between half and all of `firstMs`, then of twice that, and so on up to `capMs`. Successes
 * that go on for `healthyAfterMs` without a wait in between reset it.
 */
export function backoff(limits: {
  readonly firstMs: number;
  readonly capMs: number;
  readonly random: () => number;
  readonly healthyAfterMs?: number;
}): Backoff {
  const { firstMs, capMs, random, healthyAfterMs = Number.POSITIVE_INFINITY } = limits;
  let ceilingMs = firstMs;
  let healthySinceMs: number | null = null;
  const reset = (): void => {
    ceilingMs = firstMs;
  };
  return {
    nextDelayMs() {
      const delayMs = ceilingMs * (0.5 + random() / 2);
      ceilingMs = Math.min(capMs, ceilingMs * 2);
      healthySinceMs = null;
      return delayMs;
    },
    reset,
    succeeded(nowMs) {
      healthySinceMs ??= nowMs;
      if (nowMs - healthySinceMs >= healthyAfterMs) reset();
    },
  };
}
