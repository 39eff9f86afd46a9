// How often a part of the daemon may fail: exponential backoff with jitter between attempts, and a
// budget of failures in a window. A part that has used it up is held down for a while and an alert
// is escalated. Pure: time and chance are arguments; the runner of the part keeps its state.

export interface SupervisePolicy {
  readonly failuresMax: number;
  readonly windowMs: number;
  readonly holdDownMs: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** After this long without a failure the backoff starts again. */
  readonly healthyMs: number;
}

export const defaultSupervisePolicy: SupervisePolicy = {
  failuresMax: 5,
  windowMs: 600_000,
  holdDownMs: 300_000,
  backoffMs: 100,
  backoffMaxMs: 30_000,
  healthyMs: 30_000,
};

/** What is remembered of one part. */
export interface PartState {
  /** Failures inside the window, oldest first; never more than the budget. */
  readonly failuresAtMs: readonly number[];
  /** Failures in a row, each within `healthyMs` of the attempt before it. */
  readonly streak: number;
  readonly retryAtMs: number;
}

export interface NextAttempt {
  readonly state: PartState;
  readonly retryAtMs: number;
  /** True: the budget is used up. The part rests and the alert is escalated. */
  readonly isHeldDown: boolean;
}

export const healthyPart: PartState = { failuresAtMs: [], streak: 0, retryAtMs: 0 };

/** What follows a failure. `random` is from 0 up to 1. */
export function nextAttempt(
  state: PartState,
  failureAtMs: number,
  random: number,
  policy: SupervisePolicy = defaultSupervisePolicy,
): NextAttempt {
  const recent = state.failuresAtMs.filter((atMs) => failureAtMs - atMs < policy.windowMs);
  const failuresAtMs = [...recent, failureAtMs].slice(-policy.failuresMax);
  if (failuresAtMs.length >= policy.failuresMax) {
    const retryAtMs = failureAtMs + policy.holdDownMs;
    // After the hold-down the part starts with a whole budget.
    return { state: { failuresAtMs: [], streak: 0, retryAtMs }, retryAtMs, isHeldDown: true };
  }
  const wasHealthy = failureAtMs - state.retryAtMs >= policy.healthyMs;
  const streak = wasHealthy ? 1 : state.streak + 1;
  const waitMs = Math.min(policy.backoffMs * 2 ** (streak - 1), policy.backoffMaxMs);
  // Between half and all of it: parts that failed together do not come back together.
  const retryAtMs = failureAtMs + waitMs * (0.5 + random / 2);
  return { state: { failuresAtMs, streak, retryAtMs }, retryAtMs, isHeldDown: false };
}
