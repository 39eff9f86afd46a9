// How long to wait before trying again: doubling, capped, and spread at random so that many
// waiters do not come back in step. Who counts as healthy again is for the caller to say.

export interface Backoff {
  /** The wait before the next try; each call makes the one after it longer. */
  nextDelayMs(): number;
  reset(): void;
}

/** Waits between half and all of `firstMs`, then of twice that, and so on up to `capMs`. */
export function backoff(limits: {
  readonly firstMs: number;
  readonly capMs: number;
  readonly random: () => number;
}): Backoff {
  const { firstMs, capMs, random } = limits;
  let ceilingMs = firstMs;
  return {
    nextDelayMs() {
      const delayMs = ceilingMs * (0.5 + random() / 2);
      ceilingMs = Math.min(capMs, ceilingMs * 2);
      return delayMs;
    },
    reset() {
      ceilingMs = firstMs;
    },
  };
}
