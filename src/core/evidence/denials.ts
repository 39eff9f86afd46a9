// Denials: for each phase the latest moment at which a source that can see its end reported that
// end, of the turn and of single requests. Nothing but maxima, so order cannot matter.

import { TURN } from '../../schema/evidence.ts';
import type { SourceName } from '../../schema/ids.ts';
import { endsPhase, type Phase, phaseOf, phases } from '../phase.ts';
import type { Denial, Denials, StampedClaim } from '../world.ts';

/** Denials of single requests that a turn keeps; the end of the turn removes them all. */
const REQUEST_DENIALS_MAX = 256;

/**
 * Agents send an event before they draw, and a title or a screen is stamped when it is read: it may
 * show the moment before an event of this long ago, so it ends nothing younger. A contradiction
 * that stays is settled (core/due.ts).
 */
const READING_LAG_MS = 700;
/** Drawn late like a screen, although the agent writes it itself. */
const TITLE = 'title';

export const noDenials: Denials = {
  turn: { error: null, waiting_approval: null, waiting_input: null, running: null, rest: null },
  requests: new Map(),
};

const requestKey = (about: string, phase: Phase): string => `${about}\n${phase}`;

/** Whether no source that can see the end of a claim has denied it. */
export function isLive(claim: StampedClaim, denials: Denials): boolean {
  const phase = phaseOf(claim.says);
  if (isBeaten(claim, denials.turn[phase])) return false;
  return (
    claim.about === TURN || !isBeaten(claim, denials.requests.get(requestKey(claim.about, phase)))
  );
}

/**
 * Later wins; at equal times the better rank. Work on a screen may be older than an event of a
 * better source just before the capture. A dialog is exempt: to miss one would be worse.
 */
function isBeaten(claim: StampedClaim, denial: Denial | null | undefined): boolean {
  if (!denial) return false;
  const isDrawnWork = claim.basis !== 'signal' && claim.says === 'running';
  const atMs = isDrawnWork && denial.rank < claim.rank ? claim.atMs - READING_LAG_MS : claim.atMs;
  if (denial.atMs !== atMs) return denial.atMs > atMs;
  return denial.rank < claim.rank;
}

/** Adds a denial of every phase that the claim ends. `before` is the last claim of its source. */
export function withDenials(
  denials: Denials,
  source: SourceName,
  claim: StampedClaim,
  before: StampedClaim | null,
): Denials {
  const turn = { ...denials.turn };
  let { requests } = denials;
  for (const phase of phases) {
    if (!endsPhase(claim, phase)) continue;
    const lagMs = lagOf(source, claim, { phase, before });
    const denial: Denial = { atMs: claim.atMs - lagMs, rank: claim.rank, source };
    if (!isStronger(denial, turn[phase])) continue;
    // Rest is of the whole turn: one open request is enough to end it.
    if (phase === 'rest' || claim.about === TURN) {
      turn[phase] = denial;
      requests = withoutWeaker(requests, phase, denial);
    } else {
      requests = withRequest(requests, requestKey(claim.about, phase), denial);
    }
  }
  return { turn, requests };
}

/**
 * How much older than its stamp a claim may be. "Interrupted" on a screen that showed work before
 * is new: an event just before it reports how the tool ended, not that work goes on. A dialog may
 * still be younger.
 */
function lagOf(
  source: SourceName,
  claim: StampedClaim,
  { phase, before }: { readonly phase: Phase; readonly before: StampedClaim | null },
): number {
  const isDrawn = claim.basis !== 'signal' || source === TITLE;
  const isNewWord = claim.says === 'interrupted' && before?.says === 'running';
  return isDrawn && !(isNewWord && phase === 'running') ? READING_LAG_MS : 0;
}

function isStronger(denial: Denial, before: Denial | null | undefined): boolean {
  if (!before) return true;
  if (denial.atMs !== before.atMs) return denial.atMs > before.atMs;
  if (denial.rank !== before.rank) return denial.rank < before.rank;
  return denial.source < before.source;
}

/** Once the turn denies a phase, older denials of that phase by single requests add nothing. */
function withoutWeaker(
  requests: Denials['requests'],
  phase: Phase,
  ofTurn: Denial,
): Denials['requests'] {
  if (requests.size === 0) return requests;
  const left = [...requests].filter(
    ([key, denial]) => !key.endsWith(`\n${phase}`) || isStronger(denial, ofTurn),
  );
  return left.length === requests.size ? requests : new Map(left);
}

/** The oldest go first when there are too many. */
function withRequest(
  requests: Denials['requests'],
  key: string,
  denial: Denial,
): Denials['requests'] {
  if (!isStronger(denial, requests.get(key))) return requests;
  const next = new Map(requests).set(key, denial);
  if (next.size <= REQUEST_DENIALS_MAX) return next;
  const oldest = [...next].sort(([, a], [, b]) => a.atMs - b.atMs)[0];
  if (oldest) next.delete(oldest[0]);
  return next;
}
