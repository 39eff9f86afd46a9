// The taps: clients that receive the output of whole sessions, read by worker threads. This side
// says which are wanted and hands on what the workers report. A tap may be open only while the link
// (link.ts) is attached to the same server; the owner of both closes the taps first.

import { Worker } from 'node:worker_threads';
import type { LaunchSpec } from '../platform/process/launch.ts';
import type { TapReport } from './taps/tap-report.ts';
import type { SnapshotRequest, ViewedPane, ViewItem } from './views/tap-views.ts';

/** Ending takes the worker a few milliseconds; longer, and it is ended for good. */
const STOP_DEADLINE_MS = 2_000;

/** `pause-after=1` keeps tmux's memory flat while we are stopped: it drops what we do not read. */
export const TAP_FLAGS: readonly string[] = ['pause-after=1'];

export interface WantedTap {
  /** The name of the server in the reports. */
  readonly server: string;
  readonly sessionId: string;
  /** How to start it; ignored for a running one. */
  readonly launch: LaunchSpec;
}

export type ToTapWorker =
  | { readonly kind: 'set'; readonly wanted: readonly WantedTap[]; readonly number: number }
  | { readonly kind: 'ack' }
  /** These panes are viewed from now on, and no others. */
  | { readonly kind: 'view'; readonly viewed: readonly ViewedPane[] }
  | { readonly kind: 'snapshot'; readonly request: SnapshotRequest }
  | { readonly kind: 'view-ack' }
  | { readonly kind: 'stop' };

export type FromTapWorker =
  | { readonly kind: 'reports'; readonly reports: readonly TapReport[] }
  /** What viewed panes printed. */
  | { readonly kind: 'views'; readonly items: readonly ViewItem[] }
  /** The taps that the `set` of this number closed have ended. */
  | { readonly kind: 'settled'; readonly number: number };

export interface TapsOptions {
  readonly onReport: (report: TapReport) => void;
  readonly onViewItems?: (items: readonly ViewItem[]) => void;
  /** A worker broke; its taps are reported as closed, and the next `set` starts another. */
  readonly onProblem?: (error: Error) => void;
}

/** Only a way to another machine has a shell whose greeting must be passed by. */
export const isFar = ({ launch }: Pick<WantedTap, 'launch'>): boolean => launch.marker !== null;

export class Taps {
  readonly #near: TapThread;
  /** A thread of its own: a host that floods us does not delay the signals of this machine. */
  readonly #far: TapThread;

  constructor(options: TapsOptions) {
    this.#near = new TapThread(options);
    this.#far = new TapThread(options);
  }

  /** Opens these taps, closes the others, and resolves when those are gone. */
  async set(wanted: readonly WantedTap[]): Promise<void> {
    const near = this.#near.set(wanted.filter((each) => !isFar(each)));
    await Promise.all([near, this.#far.set(wanted.filter(isFar))]);
  }

  /** Which panes are viewed from now on, each through a tap that is open. */
  view(viewed: readonly ViewedPane[]): void {
    this.#near.view(viewed);
    this.#far.view(viewed);
  }

  /** Asks for a snapshot of a viewed pane, which comes among its bytes. */
  snapshot(request: SnapshotRequest): void {
    const thread = this.#near.has(request) ? this.#near : this.#far;
    thread.snapshot(request);
  }

  /** Ends every tap and the threads. Resolves when they are gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#near[Symbol.asyncDispose](), this.#far[Symbol.asyncDispose]()]);
  }
}

class TapThread {
  readonly #options: TapsOptions;
  #worker: Worker | null = null;
  #wanted: readonly WantedTap[] = [];
  #setCount = 0;
  readonly #unsettled = new Map<number, () => void>();

  constructor(options: TapsOptions) {
    this.#options = options;
  }

  set(wanted: readonly WantedTap[]): Promise<void> {
    this.#wanted = wanted;
    if (!this.#worker && wanted.length > 0) this.#worker = this.#startWorker();
    if (!this.#worker) return Promise.resolve();
    this.#setCount += 1;
    const number = this.#setCount;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unsettled.set(number, resolve);
    this.#worker.postMessage({ kind: 'set', wanted, number } satisfies ToTapWorker);
    return promise;
  }

  has({ server, sessionId }: Omit<ViewedPane, 'paneId'>): boolean {
    return this.#wanted.some((tap) => tap.server === server && tap.sessionId === sessionId);
  }

  view(viewed: readonly ViewedPane[]): void {
    const own = viewed.filter((pane) => this.has(pane));
    this.#worker?.postMessage({ kind: 'view', viewed: own } satisfies ToTapWorker);
  }

  snapshot(request: SnapshotRequest): void {
    if (this.#worker) {
      this.#worker.postMessage({ kind: 'snapshot', request } satisfies ToTapWorker);
      return;
    }
    const { server, paneId, request: number } = request;
    const none = { kind: 'snapshot', request: number, snapshot: null, state: '' } as const;
    setImmediate(() => this.#options.onViewItems?.([{ server, paneId, ...none }]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = null;
    this.#wanted = [];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.once('exit', () => resolve());
    this.#settleAll();
    worker.postMessage({ kind: 'stop' } satisfies ToTapWorker);
    const timer = setTimeout(() => worker.terminate(), STOP_DEADLINE_MS);
    await ended;
    clearTimeout(timer);
  }

  #startWorker(): Worker {
    // The folder is named because a bundle puts this module elsewhere, one folder deep as well.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const file = new URL(`../tmux/tap-worker.${extension}`, import.meta.url);
    // Options that Node itself was started with are not for the worker: `--input-type` breaks it.
    const worker = new Worker(file, { execArgv: [] });
    worker.on('message', (message: FromTapWorker) => this.#onMessage(worker, message));
    worker.on('error', (cause) => this.#onBroken(worker, cause));
    return worker;
  }

  #onMessage(worker: Worker, message: FromTapWorker): void {
    if (worker !== this.#worker) return;
    if (message.kind === 'settled') {
      this.#unsettled.get(message.number)?.();
      this.#unsettled.delete(message.number);
      return;
    }
    if (message.kind === 'views') {
      this.#options.onViewItems?.(message.items);
      setImmediate(() => worker.postMessage({ kind: 'view-ack' } satisfies ToTapWorker));
      return;
    }
    for (const report of message.reports) this.#options.onReport(report);
    // A port hands out all that waits in one turn of the loop. So the next report may not come
    // before timers and sockets had their turn: a pane that prints signals without end would keep
    // the daemon from everything else.
    setImmediate(() => worker.postMessage({ kind: 'ack' } satisfies ToTapWorker));
  }

  #onBroken(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    const lost = Map.groupBy(this.#wanted, ({ server }) => server);
    this.#wanted = [];
    this.#settleAll();
    this.#options.onProblem?.(cause instanceof Error ? cause : new Error(String(cause)));
    for (const [server, taps] of lost) {
      const closed = taps.map(({ sessionId }) => sessionId);
      const none = { changed: [], news: [], titled: [], bells: [], gaps: [], osc: [], opened: [] };
      this.#options.onReport({ server, ...none, closed, failed: [] });
    }
  }

  /** The worker thread has ended, and so has every tap. */
  #settleAll(): void {
    for (const resolve of this.#unsettled.values()) resolve();
    this.#unsettled.clear();
  }
}
