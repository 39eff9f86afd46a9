// The notifier while its store fails: nothing is decided that is not stored, and nothing is lost.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Notifier, type NotifyStore } from '../../src/notify/notifier.ts';
import type { PaneSource } from '../../src/notify/policy/pane-needs.ts';
import { Fault } from '../../src/platform/fault.ts';
import { id, type RequestId } from '../../src/schema/ids.ts';
import { notifySchema } from '../../src/schema/notify/notify-config.ts';
import { emptyNotifyMemory, type NotifyCommit } from '../../src/schema/notify/user-notification.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import { paneFacts } from '../scenario.ts';

const full = () => new Fault('store_full', { about: 'agtmux.db' });

function asking(requestId: string): PaneSource {
  const request = {
    requestId: id<RequestId>(requestId),
    kind: 'approval',
    sinceMs: 1,
    seen: false,
  };
  const attention = { kinds: ['approval'], sinceMs: 1, requests: [request] };
  const row = { presence: 'managed', state: 'waiting_approval', agent: 'claude', attention };
  const facts = paneFacts(0);
  return { paneKey: 'p', targetName: 'local', facts, row: row as unknown as PaneRow };
}

function setUp() {
  vi.useFakeTimers({ now: 1_000_000 });
  const commits: NotifyCommit[] = [];
  const faults: unknown[] = [];
  const delivered: unknown[] = [];
  const panes: PaneSource[] = [];
  let failures = 0;
  const orFail = <T>(value: T): T => {
    if (failures > 0) {
      failures -= 1;
      throw full();
    }
    return value;
  };
  const store: NotifyStore = {
    load: () => orFail({ memory: { ...emptyNotifyMemory, wasOn: true }, episodes: [] }),
    commit: (step) => {
      orFail(null);
      commits.push(step);
    },
  };
  const notifier = new Notifier({
    store,
    nowMs: () => Date.now(),
    wallOf: () => ({ day: 1, minute: 720 }),
    config: () => notifySchema.parse({ enabled: true }),
    workers: () => [],
    panes: () => panes,
    contentOf: () => null,
    focused: () => new Set(),
    channels: () => new Map(),
    onDeliveries: (deliveries) => delivered.push(deliveries),
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => {
    notifier[Symbol.dispose]();
    vi.useRealTimers();
  });
  const decided = () => commits.flatMap(({ entries }) => entries.map(({ kind }) => kind));
  const reasons = () => commits.flatMap(({ entries }) => entries.map(({ reason }) => reason));
  const fail = (count: number): void => {
    failures = count;
  };
  return { notifier, panes, commits, faults, delivered, reasons, decided, fail };
}

describe('a store that fails', () => {
  it('at a decision hands nothing over; the decision is made again when it works', async () => {
    const { notifier, panes, faults, delivered, reasons, fail } = setUp();
    notifier.begin();
    fail(2);
    panes.push(asking('r1'));
    notifier.changed(panes);
    expect([reasons(), delivered, notifier.memory.sentCount]).toEqual([[], [], 0]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(faults).toHaveLength(2);
    expect(reasons()).toEqual(['at_once']);
    expect(delivered).toHaveLength(1);
  });

  it('at the start is asked again, and until then nothing is decided', async () => {
    const { notifier, panes, reasons, fail } = setUp();
    fail(1);
    panes.push(asking('r1'));
    notifier.begin();
    notifier.changed(panes);
    expect(reasons()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(reasons()).toEqual(['at_once']);
  });
});

describe('a request that a repeat rule answers', () => {
  it('is not notified, and its firing is', async () => {
    const { notifier, panes, decided } = setUp();
    notifier.begin();
    notifier.ruleBegins('p', 'r1');
    panes.push(asking('r1'));
    notifier.changed(panes);
    notifier.ruleEnded('p', 'r1', { isDelivered: true, requestRef: 'rule:1:x' });
    expect(decided()).toEqual(['rule']);
    panes.length = 0;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(decided()).toEqual(['rule']);
  });

  it.each([
    { isDelivered: false, ms: 0 },
    { isDelivered: true, ms: 10_000 },
  ])('is notified where it stays open (delivered: $isDelivered)', async ({ isDelivered, ms }) => {
    const { notifier, panes, decided } = setUp();
    notifier.begin();
    notifier.ruleBegins('p', 'r1');
    panes.push(asking('r1'));
    notifier.changed(panes);
    notifier.ruleEnded('p', 'r1', { isDelivered, requestRef: 'rule:1:x' });
    await vi.advanceTimersByTimeAsync(ms);
    expect(decided().toSorted()).toEqual(['approval', 'rule']);
  });

  it('keeps its firing while the store is full', async () => {
    const { notifier, panes, decided, fail } = setUp();
    notifier.begin();
    panes.push(asking('r1'));
    notifier.ruleBegins('p', 'r1');
    fail(2);
    notifier.ruleEnded('p', 'r1', { isDelivered: true, requestRef: 'rule:1:x' });
    expect(decided()).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(decided()).toEqual(['rule']);
  });
});
