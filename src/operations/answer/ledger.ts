// The ledger of one pane: every source, what it says, who won and why the others lost. Made of the
// same functions that decide, so that it cannot disagree with the row. Pure.

import { isLive } from '../../core/evidence/denials.ts';
import { withFirstScreen } from '../../core/evidence/first-screen.ts';
import { phaseOf } from '../../core/phase.ts';
import { readingKey, type Sightings } from '../../core/sightings.ts';
import { type LiveClaim, liveClaims } from '../../core/state/verdict.ts';
import type { PaneRecord, RuntimeRecord, Slot, StampedClaim, World } from '../../core/world.ts';
import type { LedgerClaim } from '../../schema/api/ledger.ts';
import { TURN } from '../../schema/evidence.ts';
import type { ReasonCode } from '../../schema/state.ts';
import { formatAge } from '../../text/format-age.ts';
import { isoOf } from '../ports/iso-time.ts';

export interface LedgerInput {
  readonly world: World;
  readonly sightings: Sightings;
  readonly pane: PaneRecord;
  readonly runtime: RuntimeRecord;
  readonly nowMs: number;
}

/** A rank for sources that never claimed: after all that did. */
const NO_RANK = 99;

type Judgement = Pick<LedgerClaim, 'outcome' | 'why'>;

/** One entry for each claim of each source, the winner first; sources without a claim last. */
export function ledgerClaims(recorded: LedgerInput): LedgerClaim[] {
  const input = { ...recorded, runtime: withFirstScreen(recorded.runtime) };
  const { sources, slots } = input.runtime;
  const claims = liveClaims(input.runtime);
  const winner = winnerOf(input, claims);
  const entries = [...slots].flatMap(([key, slot]) => {
    const older = slot.claim ? null : recorded.runtime.slots.get(key)?.claim;
    if (older) return [entryOf(input, slot, older, ofEarlierRun)];
    return slotEntries(input, claims, winner, slot);
  });
  for (const source of sources.keys()) {
    const spoke = entries.some((entry) => entry.source === source);
    const slot = { source, about: TURN, claim: null, pending: null };
    if (!spoke) entries.push(entryOf(input, slot, null, noClaim));
  }
  const order = (entry: LedgerClaim): number => orderOf.indexOf(entry.outcome);
  return entries.sort((a, b) => order(a) - order(b) || a.rank - b.rank);
}

function slotEntries(
  input: LedgerInput,
  claims: readonly LiveClaim[],
  winner: LiveClaim | null,
  slot: Slot,
): LedgerClaim[] {
  const { claim, pending } = slot;
  const entries: LedgerClaim[] = [];
  if (claim) entries.push(entryOf(input, slot, claim, judge(input, claims, winner, slot, claim)));
  if (pending) {
    entries.push(entryOf(input, slot, pending, pendingJudgement(input.runtime, pending)));
  }
  return entries.length > 0 ? entries : [entryOf(input, slot, null, droppedClaim)];
}

const orderOf: readonly LedgerClaim['outcome'][] = [
  'won',
  'supports',
  'lost_precedence',
  'lost_age',
  'pending',
  'denied',
  'silent',
];

const droppedClaim: Judgement = {
  outcome: 'silent',
  why: 'its last claim fell: the source died, or was not read for too long',
};
const ofEarlierRun: Judgement = {
  outcome: 'denied',
  why: 'an earlier run drew it: since this one started, a better source knows of no turn',
};
const noClaim: Judgement = {
  outcome: 'silent',
  why: 'it reported activity and claimed no state',
};

/** One source may know that a turn is over, and another how it ended. */
function winnerOf({ pane }: LedgerInput, claims: readonly LiveClaim[]): LiveClaim | null {
  const first = claims[0];
  if (!first || pane.row.evidence.mode === 'none') return null;
  const phase = phaseOf(first.claim.says);
  const named = claims.find(
    ({ source, claim }) =>
      source === pane.row.evidence.source && phase === 'rest' && phaseOf(claim.says) === phase,
  );
  return named ?? first;
}

function judge(
  { runtime, pane }: LedgerInput,
  claims: readonly LiveClaim[],
  winner: LiveClaim | null,
  slot: Slot,
  claim: StampedClaim,
): Judgement {
  if (!isLive(claim, runtime.denials)) return denied(runtime, slot, claim);
  if (!winner) {
    const reason = pane.row.reasonCode ?? 'no_evidence';
    return { outcome: 'pending', why: `it stands, and does not count now: ${sentences[reason]}` };
  }
  if (winner.claim === claim) return won(claims, claim);
  return lost(winner, claim);
}

function won(claims: readonly LiveClaim[], claim: StampedClaim): Judgement {
  const others = claims.filter((each) => each.claim !== claim);
  if (others.length === 0) return { outcome: 'won', why: 'nothing else stands' };
  const rivals = others.filter((each) => phaseOf(each.claim.says) !== phaseOf(claim.says));
  const why =
    rivals.length > 0
      ? `${claim.says} goes before ${listOf(rivals.map((each) => each.claim.says))}`
      : `of ${others.length + 1} sources that agree it is the best placed`;
  return { outcome: 'won', why };
}

function lost({ source, claim: winner }: LiveClaim, claim: StampedClaim): Judgement {
  const isSamePhase = phaseOf(claim.says) === phaseOf(winner.says);
  const isVague = claim.says === 'at_rest' || winner.says === 'at_rest';
  if (isSamePhase && (isVague || claim.says === winner.says)) {
    return { outcome: 'supports', why: `it agrees with ${source}` };
  }
  // Among claims of rest an interruption goes before a completion, unless it is older.
  if (!isSamePhase || winner.says === 'interrupted') {
    return { outcome: 'lost_precedence', why: `${winner.says} of ${source} goes before it` };
  }
  return { outcome: 'lost_age', why: `${source} tells how this turn ended` };
}

function denied({ denials }: RuntimeRecord, slot: Slot, claim: StampedClaim): Judgement {
  const phase = phaseOf(claim.says);
  const ofTurn = denials.turn[phase];
  const ofRequest = denials.requests.get(`${slot.about}\n${phase}`);
  const by = [ofTurn, ofRequest].find((denial) => denial && denial.atMs >= claim.atMs);
  const who = by?.source ?? 'a source';
  const whom = who === slot.source ? 'the source itself' : who;
  return { outcome: 'denied', why: `${whom}, which can see the end of it, said otherwise later` };
}

function pendingJudgement(runtime: RuntimeRecord, pending: StampedClaim): Judgement {
  if (runtime.reconfirm) {
    return { outcome: 'pending', why: 'from before the start of the daemon; not read again yet' };
  }
  const why =
    pending.basis === 'unanchored'
      ? 'no rule stands behind it, so it must hold for some seconds first'
      : 'it was seen once and waits for a second look';
  return { outcome: 'pending', why };
}

function entryOf(
  { world, sightings, runtime, nowMs }: LedgerInput,
  { source, about }: Slot,
  claim: StampedClaim | null,
  judgement: Judgement,
): LedgerClaim {
  const record = runtime.sources.get(source);
  const readAtMs = sightings.readAtMs.get(readingKey(runtime.runtimeId, source));
  return {
    source,
    channel: record?.channel ?? '',
    channel_status: record ? (world.channels.get(record.channel)?.status ?? 'unknown') : 'unknown',
    about,
    says: claim?.says ?? null,
    reason: claim?.reason ?? null,
    kind: claim?.kind ?? record?.kind ?? 'edge',
    tier: claim?.tier ?? record?.tier ?? 'heuristic',
    rank: claim?.rank ?? NO_RANK,
    basis: claim?.basis ?? null,
    rule: claim?.rule ?? null,
    covers: [...(claim?.covers ?? record?.covers ?? [])],
    at: claim ? isoOf(claim.atMs) : null,
    age_ms: claim ? Math.max(0, nowMs - claim.atMs) : null,
    last_read_at: readAtMs === undefined ? null : isoOf(readAtMs),
    backfill: claim?.backfill ?? false,
    ...judgement,
  };
}

const listOf = (words: readonly string[]): string => [...new Set(words)].join(', ');

/** Each reason code in words. */
const sentences: Readonly<Record<ReasonCode, string>> = {
  stale_signal: 'what was known is too old and nothing newer came',
  target_unreachable: 'the target does not answer',
  unsupported_signal: 'the agent tells it in a way that is not understood',
  no_evidence: 'no source says what the agent is doing',
  ambiguous_binding: 'it is not clear which pane the evidence belongs to',
  no_agent: 'no agent runs in the pane',
  pane_gone: 'the pane is gone',
  reconfirming: 'the daemon has just started and reads everything again',
  suspended: 'the process is stopped',
  interrupted: 'the turn was interrupted',
  background_work: 'the turn ended and work goes on in the background',
  retrying: 'the agent tries again after a failure',
  usage_limit: 'a usage limit was reached',
  auth_required: 'the agent wants a login',
  api_error: 'the model could not be reached',
  startup_dialog: 'the agent asks something before it starts',
  dialog_open: 'a person opened a dialog',
  blocked_on_stdin: 'a command waits for input',
  crashed: 'the agent ended without an orderly exit',
  exited: 'the program that agtmux run started has ended',
  store_failed: 'the daemon cannot store what happens; see agtmux alerts',
};

/** The row in one sentence: the state and why. */
export function whyOf(pane: PaneRecord, nowMs: number): string {
  const { state, reasonCode, evidence } = pane.row;
  const reason = reasonCode === null ? '' : `: ${sentences[reasonCode]}`;
  if (evidence.source === null || evidence.atMs === null) return `${state}${reason}`;
  const rule = evidence.rule === null ? '' : ` (${evidence.rule})`;
  const age = formatAge(nowMs - evidence.atMs);
  const origin = `${evidence.source}${rule} said so ${age} ago`;
  return `${state}${reason}; ${origin}, confidence ${evidence.confidence}`;
}
