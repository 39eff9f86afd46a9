// How long a start waits for the first reading before clients may call: the first listing should be
// complete, and it should come soon.

import { setTimeout as pause } from 'node:timers/promises';
import { steadyMs } from '../../platform/clock.ts';

/** Long enough to list every server; clients wait 5 s for a daemon that starts. */
const LISTING_MS = 1_500;
/** How long agents of which nothing is read yet may keep the first reply waiting. */
const AGENTS_MS = 300;
const POLL_MS = 10;

export interface FirstReading {
  /** Whether every server was listed, or is not there. */
  readonly isListed: () => boolean;
  /** Whether it was, and something was read of every agent. */
  readonly isRead: () => boolean;
}

const realTime = { nowMs: steadyMs, pause: (ms: number): Promise<unknown> => pause(ms) };

export async function firstReading(
  { isListed, isRead }: FirstReading,
  time: typeof realTime = realTime,
): Promise<void> {
  const beganMs = time.nowMs();
  const isWorthAWait = (): boolean => {
    const waitedMs = time.nowMs() - beganMs;
    return waitedMs < AGENTS_MS ? !isRead() : waitedMs < LISTING_MS && !isListed();
  };
  while (isWorthAWait()) await time.pause(POLL_MS);
}
