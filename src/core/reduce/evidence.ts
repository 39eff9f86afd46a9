// Evidence applied to its runtime, or kept until its runtime is known (law 2).

import type { EventOf } from '../../schema/event.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { EventId, RuntimeId } from '../../schema/ids.ts';
import { findRuntime } from '../evidence/bind.ts';
import { effectiveTimeMs, isLate, rememberKey } from '../evidence/ordering.ts';
import { confirmedBy, isReadAgain } from '../evidence/reading.ts';
import { applyEvidence, type ClaimUpdate } from '../evidence/slots.ts';
import { isActive, phaseOf } from '../phase.ts';
import {
  type Draft,
  liveRuntime,
  putPane,
  putRuntime,
  type RuntimeRecord,
  type SessionLink,
  sessionAt,
  writable,
} from '../world.ts';
import { confirmClaim, leaveSession, notePane, withReconfirm } from './records.ts';

/** Limit of pending evidence per target, so that a flood cannot displace other machines. */
const PENDING_MAX = 1_024;
const BOUND_TITLES_MAX = 8;

export function evidenceObserved(draft: Draft, event: EventOf<'evidence.observed'>): void {
  const { evidence, disposition } = event;
  if (disposition === 'pending_bind') {
    keepPending(draft, event);
    return;
  }
  const runtime = liveRuntime(draft, evidence.runtimeId);
  if (!runtime) return;
  if (disposition === 'late') {
    rememberLate(draft, runtime, evidence);
    return;
  }
  applyTo(draft, runtime, evidence);
  const { sessionKey } = evidence;
  if (sessionKey !== undefined && sessionKey !== runtime.session?.sessionKey) bindPending(draft);
}

function keepPending(draft: Draft, event: EventOf<'evidence.observed'>): void {
  const pending = writable(draft, 'pending');
  // The payload is for the ledger in the store; the world keeps only what the schema checked.
  const { payload: _payload, ...evidence } = event.evidence;
  pending.set(event.eventId, { ...event, evidence });
  if (pending.size <= PENDING_MAX) return;
  const targetId = evidence.bind?.targetId;
  const ofTarget = [...pending].filter(([, each]) => each.evidence.bind?.targetId === targetId);
  const [oldest] = ofTarget;
  if (oldest && ofTarget.length > PENDING_MAX) drop(draft, oldest[0]);
}

export function evidenceDropped(draft: Draft, event: EventOf<'evidence.dropped'>): void {
  if (draft.pending.has(event.droppedEventId)) drop(draft, event.droppedEventId);
}

function drop(draft: Draft, eventId: EventId): void {
  writable(draft, 'pending').delete(eventId);
  draft.changes.push({
    kind: 'disposition',
    eventId,
    disposition: 'dropped_unbound',
    runtimeId: null,
  });
}

/** Remembers the key, so that the same late evidence is not kept twice. */
function rememberLate(draft: Draft, runtime: RuntimeRecord, evidence: Evidence): void {
  const source = runtime.sources.get(evidence.source);
  if (!source) return;
  const recentKeys = rememberKey(source.recentKeys, evidence.dedupeKey);
  const sources = new Map(runtime.sources).set(evidence.source, { ...source, recentKeys });
  putRuntime(draft, { ...runtime, sources });
}

/** Binds pending evidence in order. Binding a session may let more bind, hence the loop. */
export function bindPending(draft: Draft): void {
  for (let next = firstThatFits(draft); next; next = firstThatFits(draft)) {
    const { event, runtime } = next;
    const { runtimeId } = runtime;
    const { eventId } = event;
    writable(draft, 'pending').delete(eventId);
    draft.changes.push({ kind: 'disposition', eventId, disposition: 'bound', runtimeId });
    applyInOrder(draft, runtime, { ...event.evidence, runtimeId });
  }
}

function firstThatFits(draft: Draft) {
  for (const event of draft.pending.values()) {
    const runtime = findRuntime(draft, event.evidence);
    if (runtime) return { event, runtime };
  }
  return null;
}

/** Pending evidence is treated as if it came now: read again, a repeat, late, or new. */
function applyInOrder(draft: Draft, runtime: RuntimeRecord, evidence: Evidence): void {
  if (isReadAgain(runtime, evidence)) {
    for (const about of confirmedBy(runtime, evidence, draft.config)) {
      confirmClaim(draft, runtime.runtimeId, evidence.source, about);
    }
    return;
  }
  const source = runtime.sources.get(evidence.source);
  if (source?.recentKeys.includes(evidence.dedupeKey)) return;
  if (isLate(evidence, source?.cursor)) {
    rememberLate(draft, runtime, evidence);
  } else applyTo(draft, runtime, evidence);
}

function applyTo(draft: Draft, runtime: RuntimeRecord, evidence: Evidence): void {
  const { config } = draft;
  const { runtimeId } = runtime;
  const { source, sessionKey } = evidence;
  const atMs = effectiveTimeMs(evidence);
  const applied = applyEvidence(runtime, evidence, config);
  const isLevelRead = evidence.kind === 'level' && runtime.reconfirm !== null;
  const activity = activityAfter(runtime, evidence, atMs);
  // One spread and named fields: a second spread in a literal takes the engine's slow path.
  const next: RuntimeRecord = {
    ...runtime,
    sources: applied.sources,
    slots: applied.slots,
    denials: applied.denials,
    marks: applied.marks,
    firstScreen: applied.firstScreen,
    activity: activity.activity,
    lastActivityAtMs: activity.lastActivityAtMs,
    stuckSinceMs: activity.stuckSinceMs,
    demotedAtMs: demotionTime(runtime, evidence, applied, config.completedMs),
    handshakeAtMs: handshakeOf(runtime, evidence),
    endReportedAtMs: Math.max(runtime.endReportedAtMs ?? 0, evidence.ended ? atMs : 0),
  };
  putRuntime(draft, isLevelRead ? withReconfirm(next, levelRead(runtime)) : next);
  const cursor = applied.sources.get(source)?.cursor;
  if (cursor) draft.changes.push({ kind: 'cursor', runtimeId, source, cursor });
  if (sessionKey !== undefined) bindSession(draft, runtimeId, { sessionKey, atMs, source });
  noteTitle(draft, next, evidence);
}

const levelRead = ({ reconfirm }: RuntimeRecord) => reconfirm && { ...reconfirm, levelRead: true };

/** Evidence of the agent itself names the session that runs here. */
function handshakeOf({ handshakeAtMs }: RuntimeRecord, evidence: Evidence): number | null {
  const { tier, sessionKey, ingestedAtMs } = evidence;
  if (tier !== 'deterministic' || sessionKey === undefined) return handshakeAtMs;
  return Math.max(handshakeAtMs ?? 0, ingestedAtMs);
}

/** A turn that ended long before the daemon read of it is idle at once (rule 8). */
function demotionTime(
  { demotedAtMs }: RuntimeRecord,
  evidence: Evidence,
  { sources }: ClaimUpdate,
  completedMs: number,
): number | null {
  if (!evidence.backfill) return demotedAtMs;
  const endedAtMs = sources.get(evidence.source)?.lastAtMs ?? 0;
  const ended = evidence.claims.some((claim) => phaseOf(claim.says) === 'rest');
  if (!ended || evidence.ingestedAtMs - endedAtMs < completedMs) return demotedAtMs;
  return Math.max(demotedAtMs ?? 0, endedAtMs);
}

/** The newest evidence wins for each field. Any sign of work ends "stuck". */
function activityAfter(
  runtime: RuntimeRecord,
  evidence: Evidence,
  atMs: number,
): Pick<RuntimeRecord, 'activity' | 'lastActivityAtMs' | 'stuckSinceMs'> {
  const { claims, source } = evidence;
  const works =
    typeof evidence.activity?.tool === 'string' ||
    claims.some((claim) => isActive(phaseOf(claim.says)));
  const lastActivityAtMs = works
    ? Math.max(runtime.lastActivityAtMs, evidence.ingestedAtMs)
    : runtime.lastActivityAtMs;
  const stuckSinceMs = works || claims.length > 0 ? null : runtime.stuckSinceMs;
  if (!evidence.activity) return { activity: runtime.activity, lastActivityAtMs, stuckSinceMs };
  const activity = new Map(runtime.activity);
  for (const [name, value] of Object.entries(evidence.activity)) {
    const field = name as Parameters<typeof activity.get>[0];
    const before = activity.get(field);
    const isNewer =
      !before || atMs > before.atMs || (atMs === before.atMs && source >= before.source);
    if (isNewer) activity.set(field, { value, atMs, source });
  }
  return { activity, lastActivityAtMs, stuckSinceMs };
}

/** A session runs in one runtime of its machine at a time: the newest evidence moves it. */
export function bindSession(draft: Draft, runtimeId: RuntimeId, link: SessionLink): void {
  const runtime = liveRuntime(draft, runtimeId);
  if (!runtime || !isNewerLink(link, runtime.session)) return;
  const { sessionKey, atMs } = link;
  putRuntime(draft, { ...runtime, session: link });
  if (runtime.session?.sessionKey !== sessionKey) leaveSession(draft, runtime);
  const place = sessionAt(runtime.targetId, sessionKey);
  const holder = draft.sessions.get(place);
  if (holder?.runtimeId === runtimeId) return;
  const { agent, paneKey } = runtime;
  if (holder && holder.atMs > atMs) {
    // The session has gone on elsewhere; this pane still shows that it was here.
    notePane(draft, paneKey, atMs);
    return;
  }
  writable(draft, 'sessions').set(place, { runtimeId, atMs });
  draft.changes.push({ kind: 'session', sessionKey, runtimeId, agent, title: null, atMs });
}

function isNewerLink(link: SessionLink, before: SessionLink | null): boolean {
  if (!before) return true;
  if (link.atMs !== before.atMs) return link.atMs > before.atMs;
  return link.source > before.source;
}

function noteTitle(draft: Draft, runtime: RuntimeRecord, evidence: Evidence): void {
  const title = evidence.activity?.title?.trim();
  const pane = draft.panes.get(runtime.paneKey);
  if (!title || !pane || pane.boundTitles.at(-1) === title) return;
  const others = pane.boundTitles.filter((each) => each !== title);
  const boundTitles = [...others, title].slice(-BOUND_TITLES_MAX);
  putPane(draft, { ...pane, boundTitles });
  const sessionKey = evidence.sessionKey ?? runtime.session?.sessionKey;
  if (sessionKey === undefined) return;
  const { runtimeId, agent } = runtime;
  const atMs = evidence.ingestedAtMs;
  draft.changes.push({ kind: 'session', sessionKey, runtimeId, agent, title, atMs });
}
