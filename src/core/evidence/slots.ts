// Claims in their slots: one for each source and subject. All of it is maxima over stamps, so the
// order in which sources arrive cannot matter (law 1, law 6).

import type { EngineConfig } from '../../schema/config.ts';
import { type Claim, type Evidence, TURN } from '../../schema/evidence.ts';
import type { SourceName } from '../../schema/ids.ts';
import type { State } from '../../schema/state.ts';
import type { Denials, FirstScreen, Marks, RuntimeRecord, Slot, StampedClaim } from '../world.ts';
import { isLive, withDenials } from './denials.ts';
import { isFirstScreen, mayBeOfEarlierRun, withSignals } from './first-screen.ts';
import { takesEffectAtOnce } from './hysteresis.ts';
import { withMarks } from './marks.ts';
import { cursorOf, effectiveTimeMs, rememberKey } from './ordering.ts';

/** Keeps a source's own claims in its own order when its clock repeats or steps back. */
const STAMP_STEP_MS = 2 ** -10;
/** More than agents ask at once. */
const SLOTS_MAX = 128;

export const slotKey = (source: SourceName, about: string): string => `${source}\n${about}`;

/** The activity and session key of evidence, to compare two readings of one source. */
export function activityText({ activity, sessionKey }: Evidence): string {
  return JSON.stringify([activity, sessionKey]);
}

/** The latest claim in a slot, accepted or not. */
export const latestClaim = (slot: Slot): StampedClaim | null => slot.pending ?? slot.claim;

/** Whether a level source reads the same value again. */
export function sameReading(before: Claim, now: Claim): boolean {
  return (
    before.says === now.says &&
    before.about === now.about &&
    before.reason === now.reason &&
    before.untilMs === now.untilMs &&
    before.rule === now.rule &&
    before.basis === now.basis &&
    (before.request === now.request ||
      JSON.stringify(before.request) === JSON.stringify(now.request))
  );
}

/** The tables of a runtime that claims change, in a copy that one piece of evidence may edit. */
interface ClaimTables {
  readonly slots: Map<string, Slot>;
  denials: Denials;
  marks: Marks;
  readonly firstScreen: FirstScreen | undefined;
}

export type ClaimUpdate = Pick<
  RuntimeRecord,
  'sources' | 'slots' | 'denials' | 'marks' | 'firstScreen'
>;

/** What one piece of a runtime's evidence, newer than its source's cursor, makes of its claims. */
export function applyEvidence(
  runtime: RuntimeRecord,
  evidence: Evidence,
  config: EngineConfig,
): ClaimUpdate {
  const { source } = evidence;
  const before = runtime.sources.get(source);
  const effectiveMs = effectiveTimeMs(evidence);
  const atMs = before ? Math.max(effectiveMs, before.lastAtMs + STAMP_STEP_MS) : effectiveMs;
  const sources = new Map(runtime.sources).set(source, {
    channel: evidence.channel,
    tier: evidence.tier,
    kind: evidence.kind,
    cursor: cursorOf(evidence, before?.cursor),
    lastAtMs: evidence.claims.length > 0 ? atMs : (before?.lastAtMs ?? 0),
    recentKeys: rememberKey(before?.recentKeys ?? [], evidence.dedupeKey),
    covers: unionOfCovers(before?.covers ?? [], evidence.claims),
    activityText: activityText(evidence),
  });
  const { kind, tier, ingestedAtMs, backfill } = evidence;
  const claims = evidence.claims.map(
    (claim): StampedClaim => ({ ...claim, atMs, kind, tier, ingestedAtMs, backfill }),
  );
  const isFirst = (before?.lastAtMs ?? 0) === 0;
  const drawn = isFirst ? claims.find((claim) => mayBeOfEarlierRun(claim, runtime)) : undefined;
  const firstScreen = drawn ? { source, claim: drawn } : runtime.firstScreen;
  const { denials, marks } = runtime;
  const tables: ClaimTables = { slots: new Map(runtime.slots), denials, marks, firstScreen };
  if (evidence.kind === 'level') withdrawUnread(tables.slots, evidence);
  for (const claim of claims) placeClaim(tables, source, claim, config);
  return {
    sources,
    slots: tables.slots,
    denials: tables.denials,
    marks: tables.marks,
    firstScreen,
  };
}

/** A level reading is all that its source says: what it no longer mentions is withdrawn. */
function withdrawUnread(slots: Map<string, Slot>, evidence: Evidence): void {
  for (const [key, slot] of slots) {
    if (slot.source !== evidence.source) continue;
    if (!evidence.claims.some((claim) => claim.about === slot.about)) slots.delete(key);
  }
}

function placeClaim(
  tables: ClaimTables,
  source: SourceName,
  claim: StampedClaim,
  config: EngineConfig,
): void {
  const key = slotKey(source, claim.about);
  const slot = tables.slots.get(key) ?? { source, about: claim.about, claim: null, pending: null };
  if (!takesEffectAtOnce(claim, claim.ingestedAtMs, config)) {
    tables.slots.set(key, { ...slot, pending: claim });
    return;
  }
  // What was read between, though nobody has confirmed it, makes the same reading a new one: the
  // dialog before it may be over, and this is the next one with the same words.
  takeEffect(tables, slot, claim.kind === 'level' ? withAge(latestClaim(slot), claim) : claim);
}

/** What a level says again is as old as it was; a mark that moves asks nothing new. */
function withAge(before: StampedClaim | null, claim: StampedClaim): StampedClaim {
  if (before === null || !sameReading(unmarked(before), unmarked(claim))) return claim;
  if (sameReading(before, claim)) return before;
  return { ...claim, questionAtMs: before.questionAtMs ?? before.atMs };
}

function unmarked(claim: Claim): Claim {
  const { request } = claim;
  if (!request?.options) return claim;
  const options = request.options.map((option) => ({ ...option, selected: false }));
  return { ...claim, request: { ...request, options } };
}

/** A claim that is believed ends what it can see the end of. */
function takeEffect(tables: ClaimTables, slot: Slot, claim: StampedClaim): void {
  const { source, about } = slot;
  tables.slots.set(slotKey(source, about), { source, about, claim, pending: null });
  if (isFirstScreen(tables.firstScreen, source, claim)) return;
  tables.denials = withDenials(tables.denials, source, claim, slot.claim);
  tables.marks = withSignals(withMarks(tables.marks, source, claim), claim);
  dropEndedRequests(tables.slots, tables.denials);
  if (tables.slots.size > SLOTS_MAX) dropOldestRequests(tables.slots);
}

/** The runtime once a slot's claim is believed. */
export function acceptClaim(
  runtime: RuntimeRecord,
  slot: Slot,
  claim: StampedClaim,
): RuntimeRecord {
  const { denials, marks, firstScreen } = runtime;
  const tables: ClaimTables = { slots: new Map(runtime.slots), denials, marks, firstScreen };
  takeEffect(tables, slot, claim);
  return { ...runtime, slots: tables.slots, denials: tables.denials, marks: tables.marks };
}

/**
 * Events about requests that are over would only pile up. Slots of the turn stay for the ledger,
 * and those of a level source for as long as it says so, or reading it again would be news.
 */
function dropEndedRequests(slots: Map<string, Slot>, denials: Denials): void {
  for (const [key, { about, claim }] of slots) {
    if (about === TURN || claim?.kind !== 'edge') continue;
    if (!isLive(claim, denials)) slots.delete(key);
  }
}

/** A source that asks without end loses its oldest requests, never the turn. */
function dropOldestRequests(slots: Map<string, Slot>): void {
  const requestSlots = [...slots].filter(([, { about }]) => about !== TURN);
  requestSlots.sort(([, a], [, b]) => (latestClaim(a)?.atMs ?? 0) - (latestClaim(b)?.atMs ?? 0));
  for (const [key] of requestSlots.slice(0, slots.size - SLOTS_MAX)) slots.delete(key);
}

function unionOfCovers(before: readonly State[], claims: readonly Claim[]): readonly State[] {
  const fresh = claims.flatMap((claim) => claim.covers.filter((state) => !before.includes(state)));
  return fresh.length === 0 ? before : [...new Set([...before, ...fresh])].sort();
}
