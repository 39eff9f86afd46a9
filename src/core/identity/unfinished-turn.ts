// Whether an agent that is gone has crashed, where only the shell of its pane knows the exit code.
// An agent that waits at a prompt is left at that prompt; one that ended in the middle of a turn
// without a sign that it meant to was killed, or has crashed.

import type { ReasonCode, State } from '../../schema/state.ts';
import { isLive } from '../evidence/denials.ts';
import { isActive, phaseOf, precedenceOfPhase } from '../phase.ts';
import type { RuntimeRecord, Slot, StampedClaim } from '../world.ts';

/** Dialogs at which a person may leave, and work that goes on after a turn. */
const leavable: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'startup_dialog',
  'dialog_open',
  'auth_required',
  'background_work',
]);

/**
 * What the agent was doing when it ended; null where it may have been left in an orderly way: it
 * reported its end, or a rest was read, even once.
 */
export function unfinishedTurn(runtime: RuntimeRecord): State | null {
  const { slots, denials, reconfirm, suspended, endReportedAtMs = 0 } = runtime;
  if (reconfirm || suspended) return null;
  const all = [...slots.values()];
  if (all.some(hasPendingRest)) return null;
  const [claim] = all
    .flatMap((slot) => (slot.claim && isLive(slot.claim, denials) ? [slot.claim] : []))
    .sort((a, b) => orderOf(a) - orderOf(b) || a.rank - b.rank);
  const phase = claim && phaseOf(claim.says);
  if (!claim || !phase || phase === 'rest' || !isActive(phase)) return null;
  const isGuess = claim.basis === 'unanchored';
  const isLeavable = claim.reason !== undefined && leavable.has(claim.reason);
  return isGuess || isLeavable || endReportedAtMs >= claim.atMs ? null : phase;
}

const orderOf = ({ says }: StampedClaim): number => precedenceOfPhase(phaseOf(says));

const hasPendingRest = ({ pending }: Slot): boolean =>
  pending !== null && phaseOf(pending.says) === 'rest';
