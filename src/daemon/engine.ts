// The engine: observations in, one commit, the next world out. It owns the world and the store and
// keeps them in step: a commit that fails leaves both as they were. The daemon's loop calls it; the
// simulator, the bench and the crash test run it as it is.

import { due } from '../core/due.ts';
import { asRedacted, redactObservation } from '../core/evidence/redact.ts';
import { ingest, type Observation } from '../core/ingest.ts';
import { applyEvent } from '../core/reduce.ts';
import { decodeWorld, encodeWorld, replay } from '../core/replay.ts';
import { forgetEnded, noSightings, type Sightings } from '../core/sightings.ts';
import { closeDraft, type Draft, emptyWorld, openDraft, type World } from '../core/world.ts';
import type { Change } from '../schema/change.ts';
import type { EventDraft, RedactedEvent, WorldEvent } from '../schema/event.ts';
import type { EventId } from '../schema/ids.ts';
import type { Store } from '../store/store.ts';

/**
 * Events after which a snapshot is taken, so that a start replays a short tail (some 20 us an
 * event). The time limit is seed 002's.
 */
const SNAPSHOT_EVENTS = 10_000;
const SNAPSHOT_MS = 15 * 60_000;
/** One due event may make another due; more rounds than this is a loop, and our bug. */
const DUE_ROUNDS_MAX = 32;

export interface Applied {
  /** Place of the last event in the store: all of the batch is safe. */
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
    const restored = snapshot ? decodeWorld(snapshot.world) : null;
    this.#snapshotSeq = restored && snapshot ? snapshot.seq : 0;
    this.#world = replay(eventsOf(store, this.#snapshotSeq), restored ?? emptyWorld);
    this.#lastSeq = store.lastSeq();
  }

  get world(): World {
    return this.#world;
  }

  /** Applies a batch of observations and stores it. Once it returns, nothing of it can be lost. */
  observe(observations: readonly Observation[]): Applied {
    return this.#commit((draft, sink) => {
      for (const observation of observations.map(redactObservation)) {
        for (const event of ingest(draft, this.sightings, observation)) sink(event);
      }
    });
  }

  /** Applies everything that time has made due, until nothing more is. */
  tick(nowMs: number): Applied {
    return this.#commit((draft, sink) => {
      for (let round = 0; ; round += 1) {
        const events = due(draft, this.sightings, nowMs);
        if (events.length === 0) return;
        if (round >= DUE_ROUNDS_MAX) throw new Error(`due never ends: ${events[0]?.type}`);
        for (const event of events) sink(event);
      }
    });
  }

  /** Takes a snapshot when enough has happened since the last one. */
  snapshotIfDue(nowMs: number): boolean {
    this.#snapshotAtMs ??= nowMs;
    const eventsSince = this.#lastSeq - this.#snapshotSeq;
    const isDue = eventsSince >= SNAPSHOT_EVENTS || nowMs - this.#snapshotAtMs >= SNAPSHOT_MS;
    if (!isDue || eventsSince === 0) return false;
    this.snapshot('periodic', nowMs);
    return true;
  }

  snapshot(kind: 'periodic' | 'shutdown', nowMs: number): void {
    this.#store.saveSnapshot({
      seq: this.#lastSeq,
      atMs: nowMs,
      kind,
      world: encodeWorld(this.#world),
    });
    this.#snapshotSeq = this.#lastSeq;
    this.#snapshotAtMs = nowMs;
  }

  #commit(fill: (draft: Draft, sink: (event: EventDraft) => void) => void): Applied {
    const refused = new Set<EventId>();
    for (;;) {
      const draft = openDraft(this.#world);
      const events: RedactedEvent[] = [];
      const ids = new Set(refused);
      fill(draft, (drafted) => {
        const event = asRedacted(this.#numbered(drafted));
        if (ids.has(event.eventId)) return;
        ids.add(event.eventId);
        applyEvent(draft, event);
        events.push(event);
      });
      const { world, changes } = closeDraft(draft);
      if (events.length === 0) return { lastSeq: this.#lastSeq, events, changes };
      const result = this.#store.commit({ events, changes });
      if (result.ok) {
        this.#world = world;
        this.#lastSeq = result.lastSeq;
        forgetEnded(this.sightings, changes);
        return { lastSeq: result.lastSeq, events, changes };
      }
      // The store remembers repeats longer than the world does: once more without them.
      for (const eventId of result.duplicates) refused.add(eventId);
    }
  }

  /** Evidence keeps the id that its source gave it: one event on two channels is one event. */
  #numbered(event: EventDraft): WorldEvent {
    const eventId =
      event.type === 'evidence.observed' ? event.evidence.eventId : this.#nextEventId();
    return { ...event, eventId } as WorldEvent;
  }
}

function* eventsOf(store: Store, afterSeq: number): Generator<WorldEvent> {
  for (const { event } of store.eventsAfter(afterSeq)) yield event;
}
