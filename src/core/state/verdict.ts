// From the live claims to one verdict: the winner, how a turn ended, and always a reason. The
// ledger that `agtmux explain` shows uses the same functions, so that it cannot disagree.

import { id, type SourceName } from '../../schema/ids.ts';
import type { PaneRow } from '../../schema/pane.ts';
import type { Confidence, ReasonCode, State } from '../../schema/state.ts';
import { isLive } from '../evidence/denials.ts';
import { type Phase, phaseOf, precedenceOfPhase } from '../phase.ts';
import type { Ending, Mark, RuntimeRecord, StampedClaim, World } from '../world.ts';
import { type Rest, restOf } from './rest.ts';

export interface Verdict {
  readonly state: State;
  readonly reasonCode: ReasonCode | null;
  readonly untilMs: number | null;
  readonly evidence: PaneRow['evidence'];
}

export interface LiveClaim {
  readonly source: SourceName;
  readonly claim: StampedClaim;
}

export const noEvidence: PaneRow['evidence'] = {
  mode: 'none',
  source: null,
  rule: null,
  confidence: 'low',
  atMs: null,
};

export function unknownFor(reasonCode: ReasonCode): Verdict {
  return { state: 'unknown', reasonCode, untilMs: null, evidence: noEvidence };
}

/** The state of a pane whose last agent has just ended. */
export const endingVerdict = ({ kind, sinceMs, how, isCertain }: Ending): Verdict => ({
  state: kind === 'crash' ? 'error' : 'completed',
  reasonCode: kind === 'crash' ? 'crashed' : 'exited',
  untilMs: null,
  evidence: {
    mode: isCertain ? 'deterministic' : 'heuristic',
    source: id<SourceName>('process'),
    rule: how,
    confidence: isCertain ? 'high' : 'medium',
    atMs: sinceMs,
  },
});

/** The claims of a runtime that no denial has ended, the winner first. */
export function liveClaims(runtime: RuntimeRecord): readonly LiveClaim[] {
  const claims: LiveClaim[] = [];
  for (const { source, claim } of runtime.slots.values()) {
    if (claim && isLive(claim, runtime.denials)) claims.push({ source, claim });
  }
  return claims.length > 1 ? claims.sort(compareClaims) : claims;
}

/** Precedence, then deterministic before heuristic, then rank, then the later one. */
function compareClaims(a: LiveClaim, b: LiveClaim): number {
  return (
    precedenceOfPhase(phaseOf(a.claim.says)) - precedenceOfPhase(phaseOf(b.claim.says)) ||
    tierOrder(a) - tierOrder(b) ||
    a.claim.rank - b.claim.rank ||
    b.claim.atMs - a.claim.atMs ||
    (a.source < b.source ? -1 : 1)
  );
}

const tierOrder = (each: LiveClaim): number => (each.claim.tier === 'deterministic' ? 0 : 1);

/** What a live runtime is doing, from its own claims alone. */
export function verdictOf(
  runtime: RuntimeRecord,
  claims: readonly LiveClaim[],
  world: World,
): Verdict {
  if (runtime.suspended) return unknownFor('suspended');
  if (runtime.reconfirm) {
    return unknownFor(runtime.reconfirm.isOverdue ? 'stale_signal' : 'reconfirming');
  }
  if (isMissing(runtime)) return unknownFor('stale_signal');
  const [winner, ...others] = claims;
  if (!winner) return unknownFor(hasExpired(runtime) ? 'stale_signal' : 'no_evidence');
  const phase = phaseOf(winner.claim.says);
  if (phase === 'rest') return restVerdict(runtime, winner, restOf(runtime, world.channels));
  return activeVerdict(runtime, [winner, ...others], phase);
}

/** In a pane that cannot be looked into, a shell is in front of the agent, or it has ended. */
const isMissing = ({ pid, missedLooks }: RuntimeRecord): boolean => pid === null && missedLooks > 0;

/** Whether the claim of a source became too old; one that its source took back did not. */
const hasExpired = ({ slots }: RuntimeRecord): boolean =>
  [...slots.values()].some(({ claim, pending }) => claim === null && pending === null);

/** The best source wins; the reason may come from another that agrees, such as a screen. */
function activeVerdict(
  runtime: RuntimeRecord,
  claims: readonly [LiveClaim, ...LiveClaim[]],
  phase: Exclude<Phase, 'rest'>,
): Verdict {
  const [winner] = claims;
  const explained = claims.find(
    ({ claim }) => claim.reason !== undefined && phaseOf(claim.says) === phase,
  );
  return {
    state: phase,
    reasonCode: explained?.claim.reason ?? null,
    untilMs: explained?.claim.untilMs ?? null,
    evidence: evidenceOf(winner, confidenceOf(runtime, winner.claim)),
  };
}

function restVerdict(runtime: RuntimeRecord, winner: LiveClaim, rest: Rest): Verdict {
  const confidence = confidenceOf(runtime, winner.claim);
  const evidence = evidenceOf(winner, confidence);
  switch (rest.how) {
    case 'failed':
      return {
        state: 'error',
        reasonCode: rest.mark.reason,
        untilMs: rest.mark.untilMs,
        evidence: evidenceOfMark(rest.mark, confidence),
      };
    case 'interrupted':
      return {
        state: 'idle',
        reasonCode: rest.reason,
        untilMs: null,
        evidence: rest.mark ? evidenceOfMark(rest.mark, confidence) : evidence,
      };
    case 'completed': {
      const news = runtime.demotedAtMs === null || runtime.demotedAtMs < rest.mark.atMs;
      return {
        state: news ? 'completed' : 'idle',
        reasonCode: null,
        untilMs: null,
        evidence: evidenceOfMark(rest.mark, rest.certain ? confidence : 'low'),
      };
    }
    case 'never_active':
      return { state: 'idle', reasonCode: winner.claim.reason ?? null, untilMs: null, evidence };
    case 'undecided':
      // Work has stopped, and how it stopped arrives within 500 ms: until then the row stays
      // running with low confidence, instead of flickering through a guess.
      return {
        state: 'running',
        reasonCode: null,
        untilMs: null,
        evidence: { ...evidence, confidence: 'low' },
      };
  }
}

function confidenceOf(runtime: RuntimeRecord, claim: StampedClaim): Confidence {
  if (runtime.weakenedAtMs !== null && runtime.weakenedAtMs >= claim.atMs) return 'low';
  if (claim.basis === 'unanchored') return 'low';
  return claim.tier === 'deterministic' ? 'high' : 'medium';
}

function evidenceOf({ source, claim }: LiveClaim, confidence: Confidence): PaneRow['evidence'] {
  return {
    mode: claim.tier,
    source,
    rule: claim.rule ?? null,
    confidence,
    atMs: claim.atMs,
  };
}

function evidenceOfMark(mark: Mark, confidence: Confidence): PaneRow['evidence'] {
  return { mode: mark.tier, source: mark.source, rule: mark.rule, confidence, atMs: mark.atMs };
}
