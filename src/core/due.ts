// What time alone decides: demotions, expiries and settled claims, as events (timers as data). The
// daemon calls it at its own pace; a second call gives nothing once the events are applied.

import type { EngineConfig } from '../schema/config.ts';
import type { EventDraft } from '../schema/event.ts';
import { TURN } from '../schema/evidence.ts';
import type { ChannelName, SourceName } from '../schema/ids.ts';
import type { ChannelStatus } from '../schema/state.ts';
import { withFirstScreen } from './evidence/first-screen.ts';
import { coversPhase, endsPhase, phaseOf } from './phase.ts';
import { readingKey, type Sightings } from './sightings.ts';
import { channelStatus } from './state/freshness.ts';
import { restOf, turnStart } from './state/rest.ts';
import { type LiveClaim, liveClaims } from './state/verdict.ts';
import type { PaneRecord, RuntimeRecord, Slot, StampedClaim, World } from './world.ts';

const severity: readonly ChannelStatus[] = ['fresh', 'stale', 'down'];

/** Every event that is due at `nowMs`. */
export function due(world: World, sightings: Sightings, nowMs: number): readonly EventDraft[] {
  const events: EventDraft[] = [...channelsDue(world, sightings, nowMs)];
  for (const pane of world.panes.values()) {
    const { goneAtMs, paneKey, runtimeId, snooze } = pane;
    if (goneAtMs !== null && nowMs - goneAtMs >= world.config.tombstoneMs) {
      events.push({ type: 'pane.forgotten', atMs: nowMs, paneKey });
    }
    if (snooze && nowMs >= snooze.untilMs) {
      events.push({ type: 'attention.woken', atMs: nowMs, paneKey });
    }
    const found = runtimeId === null ? undefined : world.runtimes.get(runtimeId);
    if (!found) {
      events.push(...endingDue(world, pane, nowMs));
      continue;
    }
    const runtime = withFirstScreen(found);
    events.push(...runtimeDue(world, sightings, { pane, runtime, nowMs }));
  }
  for (const { eventId, evidence } of world.pending.values()) {
    if (nowMs - evidence.ingestedAtMs < world.config.pendingBindMs) continue;
    events.push({ type: 'evidence.dropped', atMs: nowMs, droppedEventId: eventId });
  }
  return events;
}

/** The clean exit of a program is news for as long as a completed turn. */
function* endingDue(
  { config }: World,
  { ending, paneKey, row, goneAtMs }: PaneRecord,
  nowMs: number,
): Iterable<EventDraft> {
  if (ending?.kind !== 'exit' || ending.isOld || goneAtMs !== null) return;
  if (nowMs - ending.sinceMs < config.completedMs) return;
  const { runtimeId } = ending;
  const { stateVersion } = row;
  yield { type: 'state.demoted', atMs: nowMs, paneKey, runtimeId, stateVersion };
}

function* channelsDue(world: World, sightings: Sightings, nowMs: number): Iterable<EventDraft> {
  for (const [channel, { status }] of world.channels) {
    // Silence counts only from when the daemon could receive anything.
    const beatAtMs = Math.max(sightings.beatAtMs.get(channel) ?? 0, world.resumedAtMs);
    const now = channelStatus(beatAtMs, nowMs, world.config);
    // Silence only makes the status worse; only a heartbeat makes it better.
    if (severity.indexOf(now) > severity.indexOf(status)) {
      yield { type: 'channel.changed', atMs: nowMs, channel, status: now };
    }
  }
}

interface DueInput {
  readonly pane: PaneRecord;
  readonly runtime: RuntimeRecord;
  readonly nowMs: number;
}

function runtimeDue(world: World, sightings: Sightings, input: DueInput): readonly EventDraft[] {
  const { runtime, nowMs } = input;
  const { runtimeId, reconfirm } = runtime;
  if (reconfirm) {
    const isTime = nowMs - reconfirm.sinceMs >= world.config.reconfirmMs;
    const isOver = isTime && (reconfirm.processSeen || !reconfirm.isOverdue);
    return isOver ? [{ type: 'reconfirm.ended', atMs: nowMs, runtimeId }] : [];
  }
  const expired = [...expiredClaims(world, sightings, input)];
  if (expired.length > 0) return expired;
  const claims = liveClaims(runtime);
  const settled = settledClaim(world, sightings, claims, input);
  if (settled) return [settled];
  return [
    ...restDue(world, claims, input),
    ...weakenedDue(world, claims, input),
    ...stuckDue(world, sightings, claims, input),
  ];
}

/** A level expires when its channel is down or it is unread; an edge, after a long time down. */
function* expiredClaims(
  world: World,
  sightings: Sightings,
  { runtime, nowMs }: DueInput,
): Iterable<EventDraft> {
  const { runtimeId } = runtime;
  for (const slot of runtime.slots.values()) {
    if (!slot.claim) continue;
    if (!hasExpired(world, sightings, { runtime, slot, nowMs })) continue;
    const { source, about } = slot;
    yield { type: 'claim.expired', atMs: nowMs, runtimeId, source, about };
  }
}

function hasExpired(
  world: World,
  sightings: Sightings,
  { runtime, slot, nowMs }: { runtime: RuntimeRecord; slot: Slot; nowMs: number },
): boolean {
  const { claim, source } = slot;
  const channel = world.channels.get(runtime.sources.get(source)?.channel as ChannelName);
  const { staleSignalMs } = world.config;
  if (claim?.kind === 'edge') {
    return channel?.status === 'down' && nowMs - channel.sinceMs >= staleSignalMs;
  }
  if (channel?.status === 'down') return true;
  const countedFromMs = Math.max(lastReadMs(runtime, source, sightings), world.resumedAtMs);
  return nowMs - countedFromMs >= staleSignalMs;
}

/** When a level source was last read, with a new or an unchanged value. */
function lastReadMs(runtime: RuntimeRecord, source: SourceName, sightings: Sightings): number {
  const readAtMs = sightings.readAtMs.get(readingKey(runtime.runtimeId, source)) ?? 0;
  return Math.max(readAtMs, runtime.sources.get(source)?.cursor.ingestedAtMs ?? 0);
}

/** The event that ends a claim which a level source has contradicted for long enough. */
function settledClaim(
  world: World,
  sightings: Sightings,
  claims: readonly LiveClaim[],
  { runtime, nowMs }: DueInput,
): EventDraft | null {
  const { runtimeId } = runtime;
  for (const { claim } of claims) {
    for (const level of runtime.slots.values()) {
      const afterMs = contradictsAfterMs(level, claim, world.config);
      if (afterMs === null) continue;
      // A screen at rest contradicts an event only while nothing moves.
      const quietMs = nowMs - (sightings.motionAtMs.get(runtimeId) ?? 0);
      if (afterMs === world.config.settleScreenMs && quietMs < afterMs) continue;
      const assertedAtMs = Math.min(lastReadMs(runtime, level.source, sightings), nowMs);
      if (assertedAtMs < claim.atMs + afterMs) continue;
      const { source, about } = level;
      return { type: 'claim.settled', atMs: nowMs, runtimeId, source, about, assertedAtMs };
    }
  }
  return null;
}

/**
 * How long a level source that can see the end of a claim must contradict it; null: it never ends
 * it. Short for a better source; a worse one ends only events, and a screen takes longest, because
 * agents show a resting screen while they stream.
 */
function contradictsAfterMs(
  level: Slot,
  claim: StampedClaim,
  { settleMs, settleWorseMs, settleScreenMs }: EngineConfig,
): number | null {
  const { claim: other, pending, about } = level;
  if (other?.kind !== 'level' || pending) return null;
  if (about !== TURN && about !== claim.about) return null;
  const phase = phaseOf(claim.says);
  if (!endsPhase(other, phase)) return null;
  if (other.rank < claim.rank) return settleMs;
  if (claim.kind !== 'edge' || other.rank === claim.rank) return null;
  const seesEnd = coversPhase(claim.covers, phase);
  return other.basis === 'signal' || !seesEnd ? settleWorseMs : settleScreenMs;
}

function* restDue(
  world: World,
  claims: readonly LiveClaim[],
  { pane, runtime, nowMs }: DueInput,
): Iterable<EventDraft> {
  const winner = claims[0];
  if (!winner || phaseOf(winner.claim.says) !== 'rest') return;
  const { runtimeId } = runtime;
  const rest = restOf(runtime, world.channels);
  const mark = runtime.marks.rest;
  if (rest.how === 'undecided' && mark) {
    if (nowMs - mark.ingestedAtMs < world.config.restSilenceMs) return;
    const restAtMs = Math.max(mark.atMs, turnStart(runtime.marks));
    yield { type: 'rest.judged', atMs: nowMs, runtimeId, restAtMs };
  }
  if (rest.how !== 'completed' || pane.row.state !== 'completed') return;
  const { atMs, backfill, ingestedAtMs } = rest.mark;
  if (nowMs - (backfill ? atMs : ingestedAtMs) < world.config.completedMs) return;
  const { paneKey } = pane;
  const { stateVersion } = pane.row;
  yield { type: 'state.demoted', atMs: nowMs, paneKey, runtimeId, stateVersion };
}

/** An old edge claim that no working source could contradict loses confidence; it stays. */
function* weakenedDue(
  world: World,
  claims: readonly LiveClaim[],
  { runtime, nowMs }: DueInput,
): Iterable<EventDraft> {
  const winner = claims[0];
  if (winner?.claim.kind !== 'edge') return;
  const { atMs: claimAtMs, ingestedAtMs, says } = winner.claim;
  const isWeak = runtime.weakenedAtMs !== null && runtime.weakenedAtMs >= claimAtMs;
  if (isWeak || nowMs - ingestedAtMs < world.config.staleSignalMs) return;
  const phase = phaseOf(says);
  for (const source of runtime.sources.values()) {
    const isAlive = world.channels.get(source.channel)?.status !== 'down';
    if (isAlive && coversPhase(source.covers, phase)) return;
  }
  const { runtimeId } = runtime;
  yield { type: 'claim.weakened', atMs: nowMs, runtimeId, claimAtMs };
}

function* stuckDue(
  world: World,
  sightings: Sightings,
  claims: readonly LiveClaim[],
  { runtime, nowMs }: DueInput,
): Iterable<EventDraft> {
  const { runtimeId, stuckSinceMs } = runtime;
  const workAtMs = sightings.workAtMs.get(runtimeId) ?? 0;
  const lastMs = Math.max(workAtMs, runtime.lastActivityAtMs, world.resumedAtMs);
  const isRunning = claims[0]?.claim.says === 'running';
  const stuck = isRunning && nowMs - lastMs >= world.config.stuckMs;
  if (stuck !== (stuckSinceMs !== null)) {
    yield { type: 'runtime.stuck', atMs: nowMs, runtimeId, stuck };
  }
}
