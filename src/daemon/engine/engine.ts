// The engine: observations in, one commit, the next world out. It owns the world and the store and
// keeps them in step: a commit that fails leaves both as they were. The daemon's loop calls it; the
// simulator, the bench and the crash test run it as it is.

import { type DraftBatch, dueBatch, type Numbering, observeBatch } from '../../core/batch.ts';
import type { Observation } from '../../core/ingest.ts';
import { asRedacted, redactObservation } from '../../core/redact.ts';
import { decodeWorld, encodeWorld, replay } from '../../core/replay.ts';
import { forgetEnded, noSightings, type Sightings } from '../../core/sightings.ts';
import { closeDraft, emptyWorld, type World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { Change } from '../../schema/change.ts';
import type { WorldEvent } from '../../schema/event.ts';
import type { EventId } from '../../schema/ids.ts';
import type { Store } from '../../store/store.ts';

/** Snapshot after this many events (replay costs 20 us each) or this much time. */
const SNAPSHOT_EVENTS = 10_000;
const WORLD_SNAPSHOT_MS = 15 * 60_000;
/** A batch is retried without the duplicates that the store reported. */
const COMMIT_ROUNDS_MAX = 3;

export interface AppliedBatch {
  /** Place of the last event in the store: all of the batch survives the death of the process. */
  readonly lastSeq: number;
  readonly events: readonly WorldEvent[];
  readonly changes: readonly Change[];
}

export interface EngineOptions {
  readonly store: Store;
  /** Makes ids for events that no source has named. Never gives the same one twice. */
  readonly nextEventId: () => EventId;
}

export class Engine {
  readonly #store: Store;
  readonly #nextEventId: () => EventId;
  readonly sightings: Sightings = noSightings();
  #world: World;
  #snapshotSeq: number;
  #snapshotAtMs: number | null = null;
  #lastSeq: number;

  /** Rebuilds the world from the newest readable snapshot and the events after it. */
  constructor({ store, nextEventId }: EngineOptions) {
    this.#store = store;
    this.#nextEventId = nextEventId;
    const { snapshot } = store.latestSnapshot();
    const restored = snapshot ? restore(snapshot.world, store.path) : emptyWorld;
    this.#snapshotSeq = snapshot?.seq ?? 0;
    this.#world = replay(eventsOf(store, this.#snapshotSeq), restored);
    this.#lastSeq = store.lastSeq();
  }

  get world(): World {
    return this.#world;
  }

  /** Applies a batch of observations and stores it, all or nothing. */
  observe(observations: readonly Observation[]): AppliedBatch {
    const clean = observations.map(redactObservation);
    return this.#commit((numbering) => observeBatch(this.#world, this.sightings, clean, numbering));
  }

  /** Applies everything that time has made due, and stores it. */
  tick(nowMs: number): AppliedBatch {
    return this.#commit((numbering) => dueBatch(this.#world, this.sightings, nowMs, numbering));
  }

  /** Takes a snapshot when enough has happened since the last one. */
  snapshotIfDue(nowMs: number): boolean {
    this.#snapshotAtMs ??= nowMs;
    const eventsSince = this.#lastSeq - this.#snapshotSeq;
    const isTime = nowMs - this.#snapshotAtMs >= WORLD_SNAPSHOT_MS;
    if (eventsSince === 0 || !(isTime || eventsSince >= SNAPSHOT_EVENTS)) return false;
    this.snapshot('periodic', nowMs);
    return true;
  }

  snapshot(kind: 'periodic' | 'shutdown', nowMs: number): void {
    this.#store.saveSnapshot({
      seq: this.#lastSeq,
      atMs: nowMs,
      kind,
      parts: encodeWorld(this.#world),
    });
    this.#snapshotSeq = this.#lastSeq;
    this.#snapshotAtMs = nowMs;
  }

  #commit(run: (numbering: Numbering) => DraftBatch): AppliedBatch {
    const refused = new Set<EventId>();
    for (let round = 0; round < COMMIT_ROUNDS_MAX; round += 1) {
      const { draft, events } = run(this.#numbering(refused));
      const { world, changes } = closeDraft(draft);
      if (events.length === 0) return { lastSeq: this.#lastSeq, events, changes };
      const result = this.#store.commit({ events: events.map(asRedacted), changes });
      if (result.ok) return this.#accept(world, { lastSeq: result.lastSeq, events, changes });
      // The store remembers repeats longer than the world does: once more without them.
      for (const eventId of result.duplicates) refused.add(eventId);
    }
    throw new Error(`the store refuses ${[...refused].join(', ')} repeatedly`);
  }

  #accept(world: World, applied: AppliedBatch): AppliedBatch {
    if (applied.lastSeq !== this.#lastSeq + applied.events.length) {
      const detail = 'another process has written to it';
      throw new Fault('store_busy', { about: this.#store.path, detail });
    }
    this.#world = world;
    this.#lastSeq = applied.lastSeq;
    forgetEnded(this.sightings, applied.changes);
    return applied;
  }

  /** Evidence keeps the id that its source gave it: one event on two channels is one event. */
  #numbering(refused: ReadonlySet<EventId>): Numbering {
    const ids = new Set(refused);
    return (event) => {
      const isNamed = event.type === 'evidence.observed';
      const eventId = isNamed ? event.evidence.eventId : this.#nextEventId();
      if (ids.has(eventId)) return null;
      ids.add(eventId);
      return { ...event, eventId } as WorldEvent;
    };
  }
}

function restore(text: string, path: string): World {
  const world = decodeWorld(text);
  if (world) return world;
  throw new Fault('store_newer_schema', { about: path, detail: 'its snapshot has another format' });
}

function* eventsOf(store: Store, afterSeq: number): Generator<WorldEvent> {
  for (const { event } of store.eventsAfter(afterSeq)) yield event;
}
