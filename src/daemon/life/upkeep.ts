// What runs now and then, on one timer: retention, snapshots, a look at health, and the question
// whether the machine slept. Jobs are data. A job that says there is more runs again at once, after
// the rest of the daemon had its turn, so that a large clean-up never blocks the loop for long.

import { Fault } from '../../platform/fault.ts';
import type { Config } from '../../schema/config.ts';
import type { Store } from '../../store/store.ts';
import { SIGN_OF_LIFE_MS } from '../../store/tables/daemon-runs.ts';
import type { Engine } from '../engine/engine.ts';

export interface UpkeepJob {
  readonly name: string;
  readonly everyMs: number;
  /** True: there is more to do; it is called again soon. */
  readonly run: () => boolean | undefined;
}

export interface UpkeepOptions {
  readonly jobs: readonly UpkeepJob[];
  /** Time that never goes back and may stand still while the machine sleeps. */
  readonly monotonicMs?: () => number;
  readonly wallMs?: () => number;
  /** The machine slept, or its clock was set: rows must be confirmed again. */
  readonly onWake: (sleptMs: number) => void;
  /** A job met a full disk or a busy store; it is tried again at its next time. */
  readonly onFault: (name: string, fault: Fault) => void;
}

/** The timer's pace. Jobs are due with this precision, and a sleep is noticed this soon. */
const TICK_MS = 1_000;
/** A shorter sleep loses no evidence. */
const SLEPT_MS_MIN = 10_000;

/** Cheap when nothing is due; short enough for a daemon that restarts every hour. */
const RETENTION_MS = 600_000;
/** The engine decides what is due. */
const SNAPSHOT_MS = 10_000;
const DAY_MS = 86_400_000;

export interface StoreJobsOptions {
  readonly store: Pick<Store, 'runRetention' | 'daemonRuns'>;
  readonly engine: Pick<Engine, 'snapshotIfDue'>;
  readonly nowMs: () => number;
  /** Read each time: the configuration may change. */
  readonly retention: () => Config['retention'];
}

/** The jobs that keep the store small and the next start short. */
export function storeJobs(options: StoreJobsOptions): readonly UpkeepJob[] {
  const { store, engine, nowMs, retention } = options;
  return [
    {
      name: 'retention',
      everyMs: RETENTION_MS,
      run: () => {
        const { payloadDays, eventDays } = retention();
        const ages = { payloadMs: payloadDays * DAY_MS, metadataMs: eventDays * DAY_MS };
        return store.runRetention({ nowMs: nowMs(), ...ages }).more;
      },
    },
    {
      name: 'snapshot',
      everyMs: SNAPSHOT_MS,
      run: () => {
        engine.snapshotIfDue(nowMs());
        return undefined;
      },
    },
    {
      name: 'sign of life',
      everyMs: SIGN_OF_LIFE_MS,
      run: () => {
        store.daemonRuns.signOfLife(nowMs());
        return undefined;
      },
    },
  ];
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/**
 * How long the machine slept between two ticks; 0 when it did not. Some systems stop the monotonic
 * clock in sleep, so that the wall clock is ahead of it; on others both jump far over the pace.
 */
export function sleptMs(before: Moment, now: Moment): number {
  const monotonicMs = now.monotonicMs - before.monotonicMs;
  const wallMs = now.wallMs - before.wallMs;
  const gapMs = Math.max(wallMs - monotonicMs, monotonicMs - TICK_MS);
  return gapMs >= SLEPT_MS_MIN ? gapMs : 0;
}

export class Upkeep implements Disposable {
  readonly #options: UpkeepOptions;
  readonly #monotonicMs: () => number;
  readonly #wallMs: () => number;
  /** When each job is due, on the monotonic clock. */
  readonly #dueMs = new Map<UpkeepJob, number>();
  readonly #repeats = new Map<UpkeepJob, NodeJS.Immediate>();
  #last: Moment;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#wallMs = options.wallMs ?? (() => Date.now());
    this.#last = this.#now();
    for (const job of options.jobs) this.#dueMs.set(job, this.#last.monotonicMs + job.everyMs);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_MS);
  }

  /** Does what is due now. The timer calls it; tests do too. */
  tick(): void {
    const now = this.#now();
    const gapMs = sleptMs(this.#last, now);
    this.#last = now;
    if (gapMs > 0) this.#guard('wake', () => this.#options.onWake(gapMs));
    for (const [job, dueMs] of this.#dueMs) {
      if (now.monotonicMs < dueMs) continue;
      this.#dueMs.set(job, now.monotonicMs + job.everyMs);
      if (!this.#repeats.has(job)) this.#run(job);
    }
  }

  #now(): Moment {
    return { monotonicMs: this.#monotonicMs(), wallMs: this.#wallMs() };
  }

  #run(job: UpkeepJob): void {
    this.#repeats.delete(job);
    this.#guard(job.name, () => {
      if (job.run() === true)
        this.#repeats.set(
          job,
          setImmediate(() => this.#run(job)),
        );
    });
  }

  // Anything but a Fault is our bug and ends the process.
  #guard(name: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#options.onFault(name, error);
    }
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const repeat of this.#repeats.values()) clearImmediate(repeat);
    this.#repeats.clear();
    this.#dueMs.clear();
  }
}
