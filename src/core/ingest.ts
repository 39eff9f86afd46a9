// From observations to events: find the runtime, drop repeats, then order. What is not new (a value
// read again, a heartbeat) is kept as a sighting and makes no event. Observations are redacted;
// their times never go back, not even over a restart.

import type { EventDraft } from '../schema/event.ts';
import type { Evidence } from '../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../schema/ids.ts';
import { findRuntime } from './evidence/bind.ts';
import { isLate } from './evidence/ordering.ts';
import { confirmedBy, isReadAgain } from './evidence/reading.ts';
import { observeListing, type ServerListing } from './identity/instance.ts';
import { observePanelessAgents, type PanelessAgentListing } from './identity/paneless-agents.ts';
import { observeProcesses, type ProcessScan } from './identity/presence.ts';
import { keepLatest, readingKey, type Sightings } from './sightings.ts';
import type { RuntimeRecord, World } from './world.ts';

/** What sources hand in. Evidence has passed its schema; facts come from tmux and /proc. */
export type Observation =
  | { readonly kind: 'evidence'; readonly evidence: Evidence }
  | { readonly kind: 'heartbeat'; readonly channel: ChannelName; readonly atMs: number }
  | {
      readonly kind: 'work';
      readonly runtimeId: RuntimeId;
      readonly atMs: number;
      /** The pane only repaints what it showed before: motion, but no work. */
      readonly isRepaint?: boolean;
    }
  | { readonly kind: 'listing'; readonly listing: ServerListing }
  | { readonly kind: 'scan'; readonly scan: ProcessScan }
  | { readonly kind: 'paneless'; readonly listing: PanelessAgentListing }
  /** Facts with a single source: a start, a target's health, a request that a person has seen. */
  | { readonly kind: 'fact'; readonly fact: EventDraft };

/** The events that an observation makes in the current world. */
export function ingest(
  world: World,
  sightings: Sightings,
  observation: Observation,
): readonly EventDraft[] {
  switch (observation.kind) {
    case 'evidence':
      return ingestBeatAndEvidence(world, sightings, observation.evidence);
    case 'heartbeat':
      return beat(world, sightings, observation.channel, observation.atMs);
    case 'work':
      keepLatest(sightings.motionAtMs, observation.runtimeId, observation.atMs);
      if (!observation.isRepaint) {
        keepLatest(sightings.workAtMs, observation.runtimeId, observation.atMs);
      }
      return [];
    case 'listing':
      return observeListing(world, observation.listing);
    case 'scan':
      return observeProcesses(world, observation.scan);
    case 'paneless':
      return observePanelessAgents(world, observation.listing);
    case 'fact':
      return [observation.fact];
  }
}

/** Evidence is also a heartbeat of its channel. */
function ingestBeatAndEvidence(
  world: World,
  sightings: Sightings,
  evidence: Evidence,
): readonly EventDraft[] {
  const alive = beat(world, sightings, evidence.channel, evidence.ingestedAtMs);
  const events = ingestEvidence(world, sightings, evidence);
  return alive.length === 0 ? events : [...alive, ...events];
}

/** Keeps the heartbeat of a channel; an event only when the channel was not fresh before. */
function beat(
  world: World,
  sightings: Sightings,
  channel: ChannelName,
  atMs: number,
): readonly EventDraft[] {
  keepLatest(sightings.beatAtMs, channel, atMs);
  if (world.channels.get(channel)?.status === 'fresh') return [];
  return [{ type: 'channel.changed', atMs, channel, status: 'fresh' }];
}

function ingestEvidence(
  world: World,
  sightings: Sightings,
  evidence: Evidence,
): readonly EventDraft[] {
  const runtime = findRuntime(world, evidence);
  if (!runtime) return waitForRuntime(world, evidence);
  const source = runtime.sources.get(evidence.source);
  if (isReadAgain(runtime, evidence)) {
    keepLatest(
      sightings.readAtMs,
      readingKey(runtime.runtimeId, evidence.source),
      evidence.ingestedAtMs,
    );
    return confirmations(world, runtime, evidence);
  }
  if (source?.recentKeys.includes(evidence.dedupeKey)) return [];
  const { runtimeId } = runtime;
  const bound = evidence.runtimeId === runtimeId ? evidence : { ...evidence, runtimeId };
  const late = isLate(evidence, source?.cursor);
  return [observed(bound, late ? 'late' : 'apply')];
}

const observed = (
  evidence: Evidence,
  disposition: 'apply' | 'late' | 'pending_bind',
): EventDraft => ({
  type: 'evidence.observed',
  atMs: evidence.ingestedAtMs,
  evidence,
  disposition,
});

/** Evidence of an ended runtime is late; of one that has not started, it waits to be bound. */
function waitForRuntime(world: World, evidence: Evidence): readonly EventDraft[] {
  if (evidence.runtimeId !== null && world.runtimes.has(evidence.runtimeId)) {
    return [observed(evidence, 'late')];
  }
  for (const { evidence: waiting } of world.pending.values()) {
    const same = waiting.source === evidence.source && waiting.dedupeKey === evidence.dedupeKey;
    if (same) return [];
  }
  return [observed(evidence, 'pending_bind')];
}

function confirmations(
  world: World,
  runtime: RuntimeRecord,
  evidence: Evidence,
): readonly EventDraft[] {
  const { runtimeId } = runtime;
  const { source, ingestedAtMs: atMs } = evidence;
  return confirmedBy(runtime, evidence, world.config).map((about) => ({
    type: 'claim.confirmed',
    atMs,
    runtimeId,
    source,
    about,
  }));
}
