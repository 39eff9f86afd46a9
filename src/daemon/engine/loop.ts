// The loop of the daemon: observations in, one commit, then every listener. It is the one way
// into the engine. Nothing waits in it: an observation is applied and stored when `submit` returns,
// so there is no queue that could overflow, and a source that cannot be stored keeps its signal.

import type { Observation } from '../../core/ingest.ts';
import type { World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { EventId } from '../../schema/ids.ts';
import type { AppliedBatch, Engine } from './engine.ts';
import type { Quarantine } from './quarantine.ts';

/** How often due events are computed. The shortest delay that counts is 500 ms. */
const TICK_MS = 250;

export interface LoopOptions {
  readonly engine: Engine;
  readonly quarantine: Quarantine;
  readonly nowMs: () => number;
  /** A commit failed. Sources get the fault thrown besides, and keep their signal. */
  readonly onFault: (error: unknown) => void;
  /** A commit succeeded; called before its listeners. */
  readonly onStored?: (applied: AppliedBatch) => void;
}

export class Loop implements Disposable {
  readonly #options: LoopOptions;
  readonly #listeners = new Set<(applied: AppliedBatch) => void>();
  readonly #pending: AppliedBatch[] = [];
  #isNotifying = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  get world(): World {
    return this.#options.engine.world;
  }

  /** Called after each commit that changed something, in their order, until it is ended. */
  onApplied(listener: (applied: AppliedBatch) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /**
   * Applies and stores observations; evidence that ended the daemon twice is left out. Throws what
   * the store throws: then what was not applied may be handed in again, and what was is known.
   */
  submit(observations: readonly Observation[]): AppliedBatch {
    const parts = this.#parts(observations).map((part) => this.#apply(part));
    const [only, ...others] = parts;
    if (only && others.length === 0) return only;
    return {
      lastSeq: parts.at(-1)?.lastSeq ?? 0,
      events: parts.flatMap(({ events }) => events),
      changes: parts.flatMap(({ changes }) => changes),
    };
  }

  /** Parses an event under its id, because that may crash too. Null after two crashes. */
  read<Reading>(eventId: EventId, read: () => Reading): Reading | null {
    const { quarantine } = this.#options;
    if (quarantine.refuses(eventId)) return null;
    const reading = this.#naming([eventId], read);
    quarantine.begin([]);
    return reading;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  /** Applies what time has made due. */
  tick(): void {
    try {
      this.#stored(this.#options.engine.tick(this.#options.nowMs()));
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** One batch, or single observations when one of them is a suspect. */
  #parts(observations: readonly Observation[]): readonly (readonly Observation[])[] {
    const { quarantine } = this.#options;
    const admitted = observations.filter((each) => {
      const eventId = eventIdOf(each);
      return eventId === null || !quarantine.refuses(eventId);
    });
    const isSuspect = (each: Observation): boolean => {
      const eventId = eventIdOf(each);
      return eventId !== null && quarantine.suspects(eventId);
    };
    if (!admitted.some(isSuspect)) return admitted.length === 0 ? [] : [admitted];
    return admitted.map((each) => [each]);
  }

  #apply(observations: readonly Observation[]): AppliedBatch {
    const { engine, quarantine } = this.#options;
    const eventIds = observations.map(eventIdOf).filter((each) => each !== null);
    return this.#naming(eventIds, () => {
      const applied = engine.observe(observations);
      quarantine.done();
      this.#stored(applied);
      return applied;
    });
  }

  #naming<Result>(eventIds: readonly EventId[], work: () => Result): Result {
    const { quarantine } = this.#options;
    quarantine.begin(eventIds);
    try {
      return work();
    } catch (error) {
      // A Fault (full disk) clears the suspects; a bug ends the process with them still set.
      if (error instanceof Fault) {
        quarantine.begin([]);
        this.#options.onFault(error);
      }
      throw error;
    }
  }

  #stored(applied: AppliedBatch): void {
    if (applied.events.length === 0) return;
    // Before `onStored`, which may submit too.
    this.#pending.push(applied);
    this.#options.onStored?.(applied);
    this.#notify();
  }

  #notify(): void {
    // A listener may submit: every listener gets the first commit before any gets the second.
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
        for (const listener of this.#listeners) listener(next);
      }
    } finally {
      this.#isNotifying = false;
    }
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const eventIdOf = (observation: Observation): EventId | null =>
  observation.kind === 'evidence' ? observation.evidence.eventId : null;
