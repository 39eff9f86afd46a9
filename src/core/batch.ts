// A batch: many observations, or everything that time has made due, applied to one draft. The
// daemon's engine commits what comes out of it; tests run it as it is.

import type { EventDraft, WorldEvent } from '../schema/event.ts';
import { due } from './due.ts';
import { ingest, type Observation } from './ingest.ts';
import { applyEvent } from './reduce.ts';
import type { Sightings } from './sightings.ts';
import { type Draft, openDraft, type World } from './world.ts';

/** One due event may make another due; more rounds than this is an endless loop, a bug. */
const DUE_ROUNDS_MAX = 32;

/** Gives an event its id; null for a duplicate, which is not applied. */
export type Numbering = (event: EventDraft) => WorldEvent | null;

export interface DraftBatch {
  readonly draft: Draft;
  /** The applied events, in order. */
  readonly events: WorldEvent[];
}

/** Applies redacted observations, each to the result of the one before. */
export function observeBatch(
  world: World,
  sightings: Sightings,
  observations: readonly Observation[],
  numbering: Numbering,
): DraftBatch {
  const batch: DraftBatch = { draft: openDraft(world), events: [] };
  for (const observation of observations) {
    applyAll(batch, ingest(batch.draft, sightings, observation), numbering);
  }
  return batch;
}

/** Applies everything that is due at `nowMs`, until nothing more is. */
export function dueBatch(
  world: World,
  sightings: Sightings,
  nowMs: number,
  numbering: Numbering,
): DraftBatch {
  const batch: DraftBatch = { draft: openDraft(world), events: [] };
  for (let round = 0; ; round += 1) {
    const events = due(batch.draft, sightings, nowMs);
    if (events.length === 0) return batch;
    if (round >= DUE_ROUNDS_MAX) throw new Error(`due never ends: ${events[0]?.type}`);
    applyAll(batch, events, numbering);
  }
}

function applyAll(batch: DraftBatch, drafts: readonly EventDraft[], numbering: Numbering): void {
  for (const drafted of drafts) {
    const event = numbering(drafted);
    if (event === null) continue;
    applyEvent(batch.draft, event);
    batch.events.push(event);
  }
}
