// The health of a host as a pure function: ok, degraded or down, with hysteresis so that one lost
// packet does not empty a view and one lucky answer does not fill it. Time is an argument.

import type { SshReason } from './reason.ts';

export type HealthLevel = 'ok' | 'degraded' | 'down';

export interface HostHealth {
  readonly level: HealthLevel;
  /** Why it is not ok; null when it is, or before the first try. */
  readonly reason: SshReason | null;
  /** When the host last answered. */
  readonly answeredAtMs: number | null;
  readonly failureCount: number;
  /** Answers in a row since the last failure. */
  readonly successCount: number;
  /** Since when there were only failures. */
  readonly failingSinceMs: number | null;
  /** What the host lacks while it answers: it is degraded at best. */
  readonly limitation: SshReason | null;
}

export type HealthEvent =
  | { readonly kind: 'answered'; readonly atMs: number }
  | { readonly kind: 'failed'; readonly atMs: number; readonly reason: SshReason }
  | { readonly kind: 'limited'; readonly atMs: number; readonly limitation: SshReason | null }
  /** Nothing happened; time alone may take it down. */
  | { readonly kind: 'passed'; readonly atMs: number };

export interface HealthLimits {
  readonly downAfterFailures: number;
  readonly downAfterMs: number;
  readonly upAfterSuccesses: number;
}

export const defaultHealthLimits: HealthLimits = {
  downAfterFailures: 3,
  downAfterMs: 30_000,
  upAfterSuccesses: 2,
};

/** Before the first attempt. */
export const untriedHealth: HostHealth = {
  level: 'degraded',
  reason: null,
  answeredAtMs: null,
  failureCount: 0,
  successCount: 0,
  failingSinceMs: null,
  limitation: null,
};

/** The health after an event. The very first answer is enough; after a failure it takes more. */
export function reduceHealth(
  health: HostHealth,
  event: HealthEvent,
  limits: HealthLimits = defaultHealthLimits,
): HostHealth {
  const { atMs } = event;
  if (event.kind === 'failed') {
    const failed = {
      ...health,
      failureCount: health.failureCount + 1,
      successCount: 0,
      failingSinceMs: health.failingSinceMs ?? atMs,
      reason: event.reason,
    };
    return { ...failed, level: failingLevel(failed, atMs, limits) };
  }
  if (event.kind === 'answered') return answered(health, atMs, limits);
  if (event.kind === 'limited') {
    const limited = { ...health, limitation: event.limitation };
    return health.level === 'down' || health.failureCount > 0 ? limited : settled(limited);
  }
  return health.failingSinceMs === null
    ? health
    : { ...health, level: failingLevel(health, atMs, limits) };
}

function answered(health: HostHealth, atMs: number, limits: HealthLimits): HostHealth {
  const successCount = health.successCount + 1;
  const next = { ...health, successCount, answeredAtMs: atMs, failingSinceMs: null };
  const wasTroubled = health.failureCount > 0;
  if (wasTroubled && successCount < limits.upAfterSuccesses) return next;
  return settled({ ...next, failureCount: 0 });
}

/** The best level that the host's limitation allows. */
function settled(health: HostHealth): HostHealth {
  // Before the first answer a limitation is only half of the story.
  if (health.answeredAtMs === null) return health;
  const { limitation } = health;
  const level = limitation === null ? 'ok' : 'degraded';
  return { ...health, reason: limitation, level };
}

function failingLevel(health: HostHealth, atMs: number, limits: HealthLimits): HealthLevel {
  if (health.level === 'down') return 'down';
  const failingMs = health.failingSinceMs === null ? 0 : atMs - health.failingSinceMs;
  const isDown = health.failureCount >= limits.downAfterFailures || failingMs >= limits.downAfterMs;
  return isDown ? 'down' : 'degraded';
}
