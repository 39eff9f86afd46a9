// Deliveries over the real store, on the test's clock: what is tried again and when, what is given
// up, and what a restart of the daemon leaves of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../../src/notify/message/notify-channel.ts';
import { NotifyQueue, RETRY_WAITS_MS } from '../../src/notify/notify-queue.ts';
import { Fault } from '../../src/platform/fault.ts';
import { emptyNotifyMemory } from '../../src/schema/notify/user-notification.ts';
import { attentionKinds } from '../../src/schema/state.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { item, notification } from './notification-fixture.ts';

const T0 = Date.UTC(2026, 6, 1);

interface Attempt {
  readonly number: number;
  readonly atMs: number;
  readonly deliveryId: string;
}

/** A channel that does what the test says; without more words it delivers. */
class PlannedChannel implements NotifyChannel {
  readonly kinds = attentionKinds;
  readonly include = [];
  readonly attempts: Attempt[] = [];
  plan: (() => Promise<DeliveryResult> | DeliveryResult)[] = [];
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async deliver({ number }: { readonly number: number }, { deliveryId }: DeliveryCall) {
    this.attempts.push({ number, atMs: Date.now() - T0, deliveryId });
    const [next = () => deliveredResult()] = this.plan;
    if (this.plan.length > 1) this.plan.shift();
    return next();
  }
}

const refused = () => failedResult('status 500', true);
const never = () => new Promise<DeliveryResult>(() => {});

/** A daemon's deliveries, which can be ended and begun again over one file. */
class Deliveries {
  readonly channels: readonly PlannedChannel[];
  readonly faults: unknown[] = [];
  readonly #path: string;
  store: Store;
  #queue: NotifyQueue;

  constructor(...names: string[]) {
    this.channels = names.map((name) => new PlannedChannel(name));
    const folder = mkdtempSync(join(tmpdir(), 'agtmux-deliveries-'));
    this.#path = join(folder, 'agtmux.db');
    this.store = openStore({ path: this.#path });
    this.#queue = this.#open();
    onTestFinished(() => {
      this.store[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Called whenever the queue asks for the time. */
  onClock = (): void => {};

  #open(): NotifyQueue {
    const { store, channels } = this;
    return new NotifyQueue({
      store: store.notify,
      channel: (name) => channels.find((each) => each.name === name),
      nowMs: () => {
        this.onClock();
        return Date.now();
      },
      onFault: (fault) => this.faults.push(fault),
    });
  }

  /** Stores notifications as the notifier does; handed over unless the daemon dies right then. */
  notify(numbers: readonly number[], { isHandedOver = true } = {}): void {
    const atMs = Date.now();
    const deliveries = numbers.flatMap((number) =>
      this.channels.map(({ name }) => ({ number, channel: name })),
    );
    this.store.notify.commit({
      atMs,
      memory: { ...emptyNotifyMemory, sentCount: Math.max(...numbers) },
      ...{ changedEpisodes: [], forgottenIds: [], entries: [] },
      notifications: numbers.map((number) => notification([item()], { number, atMs })),
      deliveries,
    });
    if (isHandedOver) this.#queue.add(deliveries);
  }

  /** As after kill -9: nothing is ended in order. */
  async crashAndRestart(): Promise<void> {
    this.store[Symbol.dispose]();
    this.store = openStore({ path: this.#path });
    this.#queue = this.#open();
    this.#queue.begin();
    await vi.advanceTimersByTimeAsync(0);
  }

  async endAndRestart(): Promise<void> {
    const ended = this.#queue[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(2_000);
    await ended;
    await this.crashAndRestart();
  }

  statuses(channel = 0): readonly string[] {
    const name = this.channels[channel]?.name;
    return [...Array(200).keys()].flatMap((number) =>
      this.#statusesOf(number).filter((line) => line.startsWith(`${number} ${name} `)),
    );
  }

  #statusesOf(number: number): readonly string[] {
    return this.store.notify
      .deliveriesOf(number)
      .map(({ channel, status, detail }) => `${number} ${channel} ${status} ${detail ?? '-'}`);
  }
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers({ now: T0 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
});

describe('a delivery', () => {
  it('that a receiver refused for now is tried again, ever later, under the same id', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) phone.plan = [refused, refused, () => deliveredResult()];
    daemon.notify([1]);
    await pass(60_000);
    expect(phone?.attempts.map(({ atMs }) => atMs)).toEqual([0, 2_000, 12_000]);
    expect(new Set(phone?.attempts.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect(daemon.statuses()).toEqual(['1 phone delivered -']);
  });

  it('that is refused each time is given up after the last attempt', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) phone.plan = [refused];
    daemon.notify([1]);
    await pass(3_600_000);
    expect(phone?.attempts).toHaveLength(RETRY_WAITS_MS.length + 1);
    expect(daemon.statuses()).toEqual(['1 phone failed status 500; given up after 6 attempts']);
  });

  it('that comes in the moment in which the one before it has ended is made', async () => {
    const daemon = new Deliveries('phone');
    daemon.onClock = () => {
      if (!daemon.statuses().includes('1 phone delivered -')) return;
      // The queue looks for another one, and finds none yet.
      daemon.onClock = () => {};
      queueMicrotask(() => daemon.notify([2]));
    };
    daemon.notify([1]);
    await pass(60_000);
    expect(daemon.statuses()).toEqual(['1 phone delivered -', '2 phone delivered -']);
  });

  it('that is refused for good is not tried again', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) phone.plan = [() => failedResult('status 404')];
    daemon.notify([1]);
    await pass(3_600_000);
    expect(phone?.attempts).toHaveLength(1);
    expect(daemon.statuses()).toEqual(['1 phone failed status 404']);
  });

  it('waits for as long as the receiver wants', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) {
      phone.plan = [
        () => ({ kind: 'failed', detail: 'status 429', mayRetry: true, retryAfterMs: 90_000 }),
        () => deliveredResult(),
      ];
    }
    daemon.notify([1]);
    await pass(120_000);
    expect(phone?.attempts.map(({ atMs }) => atMs)).toEqual([0, 90_000]);
  });

  it('that hangs holds up no other channel', async () => {
    const daemon = new Deliveries('slow', 'quick');
    const [slow, quick] = daemon.channels;
    if (slow) slow.plan = [never];
    daemon.notify([1, 2]);
    await pass(1_000);
    expect(slow?.attempts.map(({ number }) => number)).toEqual([1]);
    expect(quick?.attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('of a channel that is broken fails with its message, and the next one goes on', async () => {
    const daemon = new Deliveries('broken');
    const [broken] = daemon.channels;
    if (broken) {
      broken.plan = [() => Promise.reject(new Error('no such luck')), () => deliveredResult()];
    }
    daemon.notify([1, 2]);
    await pass(0);
    expect(daemon.statuses()).toEqual([
      '1 broken failed the channel broke: no such luck',
      '2 broken delivered -',
    ]);
  });
});

describe('a queue', () => {
  it('is bounded: the oldest that waits is given up', async () => {
    const daemon = new Deliveries('slow');
    const [slow] = daemon.channels;
    if (slow) slow.plan = [never];
    daemon.notify([...Array(70).keys()].map((index) => index + 1));
    await pass(0);
    const failed = daemon.statuses().filter((line) => line.includes(' failed '));
    expect(failed).toEqual(
      [1, 2, 3, 4, 5, 6].map(
        (number) => `${number} slow failed too many notifications wait for this channel`,
      ),
    );
  });

  it('keeps what it cannot begin while the store fails, and begins it later', async () => {
    const daemon = new Deliveries('phone');
    const save = vi.spyOn(daemon.store.notify, 'saveDelivery').mockImplementationOnce(() => {
      throw new Fault('store_full', { about: 'agtmux.db' });
    });
    onTestFinished(() => save.mockRestore());
    daemon.notify([1]);
    await pass(1_000);
    expect(daemon.channels[0]?.attempts).toEqual([]);
    await pass(5_000);
    expect(daemon.channels[0]?.attempts).toHaveLength(1);
    expect(daemon.faults).toHaveLength(1);
  });
});

describe('after a restart', () => {
  it('what was decided and not begun is delivered', async () => {
    const daemon = new Deliveries('phone');
    daemon.notify([1], { isHandedOver: false });
    await daemon.crashAndRestart();
    expect(daemon.channels[0]?.attempts.map(({ number }) => number)).toEqual([1]);
    expect(daemon.statuses()).toEqual(['1 phone delivered -']);
  });

  it('an attempt that the daemon did not survive is not repeated', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) phone.plan = [never, () => deliveredResult()];
    daemon.notify([1]);
    await pass(0);
    await daemon.crashAndRestart();
    await pass(3_600_000);
    expect(phone?.attempts).toHaveLength(1);
    expect(daemon.statuses()).toEqual(['1 phone unconfirmed the daemon ended during the attempt']);
  });

  it('what was refused is tried again at its time', async () => {
    const daemon = new Deliveries('phone');
    const [phone] = daemon.channels;
    if (phone) phone.plan = [refused, () => deliveredResult()];
    daemon.notify([1]);
    await pass(500);
    await daemon.endAndRestart();
    await pass(60_000);
    expect(phone?.attempts.map(({ atMs }) => atMs)).toEqual([0, 2_500]);
    expect(daemon.statuses()).toEqual(['1 phone delivered -']);
  });

  it('what is older than an hour is no news any more', async () => {
    const daemon = new Deliveries('phone');
    daemon.notify([1], { isHandedOver: false });
    await pass(3_700_000);
    await daemon.crashAndRestart();
    expect(daemon.channels[0]?.attempts).toEqual([]);
    expect(daemon.statuses()[0]).toContain('failed it is too old');
  });
});
