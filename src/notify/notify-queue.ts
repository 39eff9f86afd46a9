// Delivers notifications outside of the loop: one attempt at a time for each channel, so that a
// slow one holds up no other. What is begun is stored first: an attempt that the daemon did not
// survive is not repeated. Only what a receiver did not take is tried again, a few times.

import type { NotifyDelivery, UserNotification } from '../schema/notify/user-notification.ts';
import { forChannel } from './message/for-channel.ts';
import { type DeliveryResult, failedResult, type NotifyChannel } from './message/notify-channel.ts';

/** How long to wait after each attempt that may be repeated; then it is given up. */
export const RETRY_WAITS_MS: readonly number[] = [2_000, 10_000, 30_000, 120_000, 300_000];
/** Later it is no news. */
const OLD_MS = 3_600_000;
/** For each channel; with the digest, only one that is down for long comes to it. */
const WAITING_MAX = 64;
/** How soon the store is tried again. */
const STORE_RETRY_MS = 2_000;
const END_MS = 2_000;
/** Timers count in 32 bits, and a machine may sleep: look again at least this often. */
const TIMER_MAX_MS = 30_000;

export interface NotifyQueueStore {
  openDeliveries(): readonly NotifyDelivery[];
  saveDelivery(delivery: NotifyDelivery): void;
  notification(number: number): UserNotification | null;
}

export interface NotifyQueueOptions {
  readonly store: NotifyQueueStore;
  /** Undefined where the configuration has no such channel now. */
  readonly channel: (name: string) => NotifyChannel | undefined;
  readonly nowMs: () => number;
  readonly onFault: (error: unknown) => void;
  /** A delivery has changed for good. */
  readonly onEnd?: (delivery: NotifyDelivery) => void;
  readonly retryWaitsMs?: readonly number[];
}

export class NotifyQueue implements AsyncDisposable {
  readonly #options: NotifyQueueOptions;
  readonly #waiting = new Map<string, NotifyDelivery[]>();
  readonly #workers = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** What became of the last delivery of each channel. */
  readonly #last = new Map<string, NotifyDelivery>();
  readonly #ending = new AbortController();

  constructor(options: NotifyQueueOptions) {
    this.#options = options;
  }

  /** Takes up what an earlier life of the daemon has left. */
  begin(): void {
    try {
      for (const each of this.#options.store.openDeliveries()) {
        if (each.status === 'queued') this.#wait(each);
        else this.#end(each, 'unconfirmed', 'the daemon ended during the attempt');
      }
    } catch (error) {
      this.#options.onFault(error);
    }
    for (const name of this.#waiting.keys()) this.#work(name);
  }

  /** Delivers what was stored as queued. */
  add(deliveries: readonly { readonly number: number; readonly channel: string }[]): void {
    const nowMs = this.#options.nowMs();
    for (const { number, channel } of deliveries) {
      const times = { dueAtMs: nowMs, changedAtMs: nowMs };
      this.#wait({ number, channel, status: 'queued', attemptCount: 0, detail: null, ...times });
    }
    for (const { channel } of deliveries) this.#work(channel);
  }

  get last(): ReadonlyMap<string, NotifyDelivery> {
    return this.#last;
  }

  #wait(delivery: NotifyDelivery): void {
    const waiting = this.#waiting.get(delivery.channel) ?? [];
    waiting.push(delivery);
    this.#waiting.set(delivery.channel, waiting);
    if (waiting.length <= WAITING_MAX) return;
    const oldest = waiting.shift();
    if (oldest) this.#end(oldest, 'failed', 'too many notifications wait for this channel');
  }

  #work(name: string): void {
    if (this.#workers.has(name) || this.#ending.signal.aborted) return;
    this.#workers.set(name, this.#deliverAll(name));
  }

  async #deliverAll(name: string): Promise<void> {
    // Never in the tick of the decision.
    await Promise.resolve();
    while (!this.#ending.signal.aborted) {
      const next = this.#takeDue(name);
      if (next === null) break;
      await this.#deliver(next);
    }
    // In the same tick: what is added from here on needs a worker.
    this.#workers.delete(name);
  }

  /** The first that is due; where none is, it looks again when one will be. */
  #takeDue(name: string): NotifyDelivery | null {
    const waiting = this.#waiting.get(name) ?? [];
    const nowMs = this.#options.nowMs();
    const at = waiting.findIndex(({ dueAtMs }) => dueAtMs <= nowMs);
    if (at >= 0) return waiting.splice(at, 1)[0] ?? null;
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    if (waiting.length === 0) return null;
    const dueMs = Math.min(...waiting.map(({ dueAtMs }) => dueAtMs));
    const timer = setTimeout(() => this.#work(name), Math.min(TIMER_MAX_MS, dueMs - nowMs));
    this.#timers.set(name, timer.unref());
    return null;
  }

  async #deliver(queued: NotifyDelivery): Promise<void> {
    const { store, nowMs, onFault } = this.#options;
    let started: NotifyDelivery;
    let notification: UserNotification | null;
    try {
      notification = store.notification(queued.number);
      started = {
        ...queued,
        status: 'started',
        attemptCount: queued.attemptCount + 1,
        changedAtMs: nowMs(),
      };
      store.saveDelivery(started);
    } catch (error) {
      // Not begun: it stays queued, also for the next life of the daemon.
      onFault(error);
      this.#wait({ ...queued, dueAtMs: nowMs() + STORE_RETRY_MS });
      return;
    }
    this.#judge(started, await this.#attempt(started, notification));
  }

  async #attempt(
    { channel: name }: NotifyDelivery,
    notification: UserNotification | null,
  ): Promise<DeliveryResult> {
    const channel = this.#options.channel(name);
    const nowMs = this.#options.nowMs();
    if (channel === undefined) return failedResult('the configuration has no such channel');
    const shown = notification && forChannel(notification, channel);
    if (!shown) return failedResult('the notification has nothing for this channel');
    if (nowMs - shown.atMs > OLD_MS)
      return failedResult('it is too old: nothing was delivered for an hour');
    const call = { nowMs, deliveryId: deliveryIdOf(shown), signal: this.#ending.signal };
    try {
      return await channel.deliver(shown, call);
    } catch (error) {
      // A bug of a channel must not end the daemon, and must not be silent.
      return failedResult(
        `the channel broke: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #judge(started: NotifyDelivery, result: DeliveryResult): void {
    if (result.kind === 'delivered') {
      this.#end(started, 'delivered', result.detail);
      return;
    }
    const { retryWaitsMs = RETRY_WAITS_MS, nowMs } = this.#options;
    const isEnding = this.#ending.signal.aborted;
    const { detail, mayRetry, retryAfterMs = 0 } = result;
    const waitMs = retryWaitsMs[started.attemptCount - 1];
    if (!mayRetry && isEnding) this.#end(started, 'unconfirmed', detail);
    else if (!mayRetry) this.#end(started, 'failed', detail);
    else if (waitMs === undefined) {
      this.#end(started, 'failed', `${detail}; given up after ${started.attemptCount} attempts`);
    } else {
      const dueAtMs = nowMs() + Math.max(waitMs, retryAfterMs);
      const again: NotifyDelivery = { ...started, status: 'queued', dueAtMs, detail };
      this.#save(again);
      this.#last.set(again.channel, again);
      this.#wait(again);
    }
  }

  #end(
    delivery: NotifyDelivery,
    status: 'delivered' | 'failed' | 'unconfirmed',
    detail: string | null,
  ) {
    const ended: NotifyDelivery = {
      ...delivery,
      status,
      detail,
      changedAtMs: this.#options.nowMs(),
    };
    this.#save(ended);
    this.#last.set(ended.channel, ended);
    this.#options.onEnd?.(ended);
  }

  #save(delivery: NotifyDelivery): void {
    try {
      this.#options.store.saveDelivery(delivery);
    } catch (error) {
      // It stays `started`, and the next life does not repeat it.
      this.#options.onFault(error);
    }
  }

  /** What was not begun stays queued for the next life of the daemon. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, END_MS);
    await Promise.race([Promise.all(this.#workers.values()), late]);
    clearTimeout(timer);
  }
}

/** Names a notification to receivers; the same for every attempt. */
export const deliveryIdOf = ({ number, atMs }: UserNotification): string =>
  `${Math.trunc(atMs)}-${number}`;
