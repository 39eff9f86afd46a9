// When a claim takes effect (law 7). Waiting and running take effect at once; a screen at rest
// needs a second capture, because agents repaint between two steps; a guess without an anchored
// rule must hold for seconds.

import type { EngineConfig } from '../../schema/config.ts';
import type { Claim } from '../../schema/evidence.ts';
import { phaseOf } from '../phase.ts';

/** Whether the first reading of a claim is enough. */
export function takesEffectAtOnce(claim: Claim, nowMs: number, config: EngineConfig): boolean {
  switch (claim.basis) {
    case 'signal':
      return true;
    case 'anchored':
      return phaseOf(claim.says) !== 'rest';
    case 'unanchored':
      return claim.says === 'running' && interactedWithin(claim, nowMs, config.unanchoredPromoteMs);
  }
}

export interface SecondReading {
  /** The first reading, not yet accepted. */
  readonly pending: Claim & { readonly atMs: number };
  /** The same value, read again now. */
  readonly again: Claim;
  /** The accepted claim of the same source until then. */
  readonly current: Claim | null;
  readonly nowMs: number;
}

/** Whether reading the same value again is enough to accept it. */
export function mayConfirm(reading: SecondReading, config: EngineConfig): boolean {
  const { pending, again, current, nowMs } = reading;
  if (pending.basis !== 'unanchored') return true;
  if (pending.says === 'running') {
    return interactedWithin(again, nowMs, config.unanchoredPromoteMs);
  }
  // Without a rule as proof a guess may only say that work stopped, never that the agent waits for
  // a person or has failed.
  if (phaseOf(pending.says) !== 'rest') return false;
  const holdMs = Math.max(config.unanchoredIdleMs, 2 * config.pollIntervalMs);
  const heldLongEnough = nowMs - pending.atMs >= holdMs;
  const stillInteracting =
    current?.says === 'running' && interactedWithin(again, nowMs, config.unanchoredDemoteMs);
  return heldLongEnough && !stillInteracting;
}

function interactedWithin(claim: Claim, nowMs: number, windowMs: number): boolean {
  const atMs = claim.lastInteractionAtMs;
  return atMs !== undefined && nowMs - atMs <= windowMs;
}
