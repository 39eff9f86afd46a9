// What the notifier remembers: written all or nothing, read back, bounded, and of use where a part
// of it cannot be read.

import { describe, expect, it } from 'vitest';
import { emptyNotifyMemory, type NotifyCommit } from '../../src/schema/notify/user-notification.ts';
import { item, notification } from '../notify/notification-fixture.ts';
import { DAY_MS, makeStore, query, T0, tamper } from './fixture.ts';

const commit = (changes: Partial<NotifyCommit> = {}): NotifyCommit => ({
  atMs: T0,
  memory: emptyNotifyMemory,
  changedEpisodes: [],
  forgottenIds: [],
  entries: [],
  notifications: [],
  deliveries: [],
  ...changes,
});

const numbered = (number: number, changes: Partial<NotifyCommit> = {}): NotifyCommit =>
  commit({
    memory: { ...emptyNotifyMemory, sentCount: number },
    notifications: [notification([item()], { number })],
    deliveries: [{ number, channel: 'phone' }],
    entries: [
      {
        ...{ atMs: T0, paneKey: 'p', agent: 'claude', place: 'work:0.1', kind: 'approval' },
        ...{ sinceMs: T0, reason: 'at_once', number },
      },
    ],
    ...changes,
  });

const settle = (store: ReturnType<typeof makeStore>, number: number, changedAtMs = T0): void =>
  store.notify.saveDelivery({
    ...{ number, channel: 'phone', status: 'delivered', attemptCount: 1, dueAtMs: T0 },
    ...{ detail: null, changedAtMs },
  });

describe('the memory of notifications', () => {
  it('is written all or nothing', () => {
    const store = makeStore();
    store.notify.commit(numbered(1));
    // The number is taken: nothing of this step may stay.
    const memory = { ...emptyNotifyMemory, isOn: true, sentCount: 9 };
    expect(() => store.notify.commit(numbered(1, { memory }))).toThrow('UNIQUE');
    expect(store.notify.load().memory).toMatchObject({ isOn: null, sentCount: 1 });
    expect(store.notify.log(10)).toHaveLength(1);
  });

  it('never uses a number twice, also where it cannot be read', () => {
    const store = makeStore();
    store.notify.commit(numbered(4));
    tamper(store.path, `UPDATE notify_memory SET body = '{"isOn":"perhaps"}'`);
    tamper(store.path, `INSERT INTO notify_episodes VALUES ('e', 'no json')`);
    const { memory, episodes } = makeStore({ path: store.path }).notify.load();
    expect(memory).toEqual({ ...emptyNotifyMemory, sentCount: 4 });
    expect(episodes).toEqual([]);
  });

  it('keeps the texts of the newest notifications and of those with an open delivery', () => {
    const store = makeStore();
    for (let number = 1; number <= 100; number += 1) {
      store.notify.commit(numbered(number));
      if (number !== 5) settle(store, number);
    }
    store.notify.commit(numbered(101));
    const kept = store.notify.notificationsAfter(0).map(({ number }) => number);
    expect(kept).toEqual([5, ...Array.from({ length: 65 }, (_, index) => index + 37)]);
    expect(store.notify.openDeliveries().map(({ number }) => number)).toEqual([5, 101]);
  });

  it('loses its log and its deliveries by age', () => {
    const store = makeStore();
    store.notify.commit(numbered(1));
    settle(store, 1);
    store.notify.commit(numbered(2, { atMs: T0 + 20 * DAY_MS }));
    settle(store, 2, T0 + 20 * DAY_MS);
    store.runRetention({ nowMs: T0 + 21 * DAY_MS });
    const numbers = query(store.path, 'SELECT number FROM notify_log').map(({ number }) => number);
    expect(numbers).toEqual([2]);
    expect(query(store.path, 'SELECT number FROM notify_deliveries')).toEqual([{ number: 2 }]);
  });
});
