// Looks for damaged pages while the daemon runs: soon after the start, whenever the file was
// written since, and once a day. A page that nobody reads would otherwise be found when it is
// needed.

import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Fault } from '../platform/fault.ts';
import { corrupt } from './sqlite/sqlite-fault.ts';

/** A file that was not written may rot all the same. */
const UNCHANGED_MS = 86_400_000;
/** The share of one core that checks may take is one in so many. */
const PAUSE_FACTOR = 60;

export interface DamageCheckOptions {
  readonly path: string;
  readonly monotonicMs?: () => number;
  /** A check has ended: the Fault of a damaged file, or null. */
  readonly onResult: (fault: Fault | null) => void;
}

export class DamageCheck implements Disposable {
  readonly #options: DamageCheckOptions;
  readonly #monotonicMs: () => number;
  #worker: Worker | null = null;
  /** What was checked last, and when it ended and how long it took. */
  #checked = '';
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #tookMs = 0;

  constructor(options: DamageCheckOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** Starts a check when one is due. Whether it did. */
  startIfDue(): boolean {
    const { path } = this.#options;
    const stat = statSync(path, { throwIfNoEntry: false });
    const sinceMs = this.#monotonicMs() - this.#endedAtMs;
    if (this.#worker || !stat || sinceMs < this.#tookMs * PAUSE_FACTOR) return false;
    const state = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (state === this.#checked && sinceMs < UNCHANGED_MS) return false;
    this.#checked = state;
    this.#start(path);
    return true;
  }

  #start(path: string): void {
    const startedAtMs = this.#monotonicMs();
    // The folder is named because a bundle puts this module elsewhere, one folder deep as well.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const file = new URL(`../store/damage-worker.${extension}`, import.meta.url);
    const worker = new Worker(file, { execArgv: [], workerData: path });
    worker.unref();
    this.#worker = worker;
    worker.on('message', (damage: string | null) => {
      this.#options.onResult(damage === null ? null : corrupt(path, damage));
    });
    // The file is gone or held: commits find that out, and the next check is due at once.
    worker.on('error', () => {
      this.#checked = '';
    });
    worker.on('exit', () => {
      this.#worker = null;
      this.#endedAtMs = this.#monotonicMs();
      this.#tookMs = this.#endedAtMs - startedAtMs;
    });
  }

  [Symbol.dispose](): void {
    void this.#worker?.terminate();
  }
}
