// Alerts over a real store: what opens one, what ends it, and what a person may do.

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AlertSignal } from '../../src/daemon/health/alert-rules.ts';
import { Alerts } from '../../src/daemon/health/alerts.ts';
import { Fault } from '../../src/platform/fault.ts';
import { openStore } from '../../src/store/open.ts';
import type { AlertReport, AlertTable } from '../../src/store/tables/alerts.ts';
import { makeFolder } from './program.ts';

const T0 = 1_800_000_000_000;

function setUp(openMax = 200) {
  const store = openStore({ path: join(makeFolder(), 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  const time = { nowMs: T0 };
  const faults: unknown[] = [];
  const life = (from: AlertTable = store.alerts) => {
    const alerts = new Alerts({
      store: from,
      nowMs: () => time.nowMs,
      openMax: () => openMax,
      onFault: (error) => faults.push(error),
    });
    alerts.begin();
    return alerts;
  };
  const open = (): string[] =>
    store.alerts
      .list({ includeResolved: false })
      .map(({ code, about, level }) => `${code} ${about} ${level}`)
      .sort();
  return { store, time, faults, life, open, alerts: life() };
}

describe('an alert opens, changes and ends with its condition', () => {
  type Step = readonly [AlertSignal, readonly string[]];
  const channel = (status: 'fresh' | 'stale' | 'down' | 'unused'): AlertSignal => ({
    kind: 'channel',
    channel: 'spool@local',
    status,
  });
  const server = (status: 'connecting' | 'connected' | 'absent' | 'degraded'): AlertSignal => ({
    kind: 'server',
    server: '/tmp/tmux',
    status,
    detail: null,
  });
  const rules = (...files: string[]): AlertSignal => ({
    kind: 'rule_files',
    problems: files.map((file) => ({ file, problem: 'line 3: no' })),
  });
  const budget = (measured: number): AlertSignal => ({
    kind: 'budget',
    name: 'cpu_percent',
    measured,
    limit: 25,
  });

  const notify = (problem: string | null): AlertSignal => ({
    kind: 'notify',
    channel: 'phone',
    problem,
  });

  it.each<readonly [string, readonly Step[]]>([
    [
      'a notification that was not delivered',
      [
        [notify('status 404'), ['notify_failed phone warn']],
        [notify('status 401'), ['notify_failed phone warn']],
        [notify(null), []],
      ],
    ],
    [
      'a channel',
      [
        [channel('fresh'), []],
        [channel('stale'), ['source_silent spool@local warn']],
        [channel('down'), ['source_silent spool@local degraded']],
        [channel('fresh'), []],
        [channel('down'), ['source_silent spool@local degraded']],
        [channel('unused'), []],
      ],
    ],
    [
      'a tmux server',
      [
        [server('connecting'), []],
        [server('absent'), ['tmux_absent /tmp/tmux warn']],
        [server('connecting'), ['tmux_absent /tmp/tmux warn']],
        [server('degraded'), ['tmux_degraded /tmp/tmux degraded']],
        [server('connected'), []],
      ],
    ],
    [
      'rule files',
      [
        [rules('a.toml', 'b.toml'), ['rules_invalid a.toml warn', 'rules_invalid b.toml warn']],
        [rules('b.toml'), ['rules_invalid b.toml warn']],
        [rules(), []],
      ],
    ],
    [
      'a budget',
      [
        [budget(25), []],
        [budget(25.5), ['slo_breach cpu_percent degraded']],
        [budget(3), []],
      ],
    ],
    [
      'a part that is held down',
      [
        [{ kind: 'part', part: 'codex', heldUntilMs: T0 + 1 }, ['part_held_down codex escalate']],
        [{ kind: 'part', part: 'codex', heldUntilMs: null }, []],
      ],
    ],
    [
      'the store',
      [
        [{ kind: 'store', code: 'store_full', detail: null }, ['store_fault store escalate']],
        [{ kind: 'store', code: null, detail: null }, []],
      ],
    ],
    [
      'the spool folder',
      [
        [
          { kind: 'spool_health', folder: '/s', problem: 'is a link' },
          ['spool_problem /s degraded'],
        ],
        [{ kind: 'spool_health', folder: '/s', problem: null }, []],
      ],
    ],
  ])('for %s', (_what, steps) => {
    const { alerts, open, store } = setUp();
    for (const [signal, expected] of steps) {
      alerts.signal(signal);
      expect(open()).toEqual(expected);
    }
    const resolved = store.alerts.list({ includeResolved: true });
    expect(resolved.length).toBeGreaterThan(0);
    expect(resolved.every((alert) => alert.resolved_by === 'auto')).toBe(true);
  });

  it('for a part that nobody wants any more, when it may be started again', () => {
    const { alerts, store, open, time } = setUp();
    const problem = 'codex is not installed';
    alerts.signal({ kind: 'part', part: 'codex', heldUntilMs: T0 + 300_000, problem });
    const [alert] = store.alerts.list({ includeResolved: false });
    expect(alert?.detail).toContain(problem);
    time.nowMs += 299_999;
    alerts.tick();
    expect(open()).toEqual(['part_held_down codex escalate']);
    time.nowMs += 1;
    alerts.tick();
    expect(open()).toEqual([]);
  });

  it('for refused events and files, ten minutes after the last one', () => {
    const { alerts, open, time } = setUp();
    alerts.signal({ kind: 'event_refused', source: 'acme', code: 'invalid_source_event' });
    alerts.signal({ kind: 'spool_file', file: 'x', problem: 'is a FIFO' });
    time.nowMs += 599_999;
    alerts.signal({ kind: 'event_refused', source: 'acme', code: 'invalid_source_event' });
    alerts.tick();
    expect(open()).toHaveLength(2);
    time.nowMs += 1;
    alerts.tick();
    expect(open()).toEqual(['events_refused acme warn']);
    time.nowMs += 600_000;
    alerts.tick();
    expect(open()).toEqual([]);
  });
});

const down: AlertSignal = { kind: 'channel', channel: 'spool@local', status: 'down' };
const fresh: AlertSignal = { kind: 'channel', channel: 'spool@local', status: 'fresh' };
const idOfOpen = ({ alerts }: { alerts: AlertTable }): string =>
  alerts.list({ includeResolved: false })[0]?.alert_id ?? 'none';

describe('a person', () => {
  it('acknowledges an alert, which stays open', () => {
    const { alerts, store, open } = setUp();
    alerts.signal(down);
    const acknowledged = alerts.acknowledge(idOfOpen(store));
    expect(acknowledged).toMatchObject({
      ok: true,
      value: { acknowledged_at: expect.any(String) },
    });
    expect(open()).toHaveLength(1);
  });

  it('resolves an alert, which opens again only when its condition begins anew', () => {
    const { alerts, store, open, time } = setUp();
    alerts.signal(down);
    expect(alerts.resolve(idOfOpen(store))).toMatchObject({
      ok: true,
      value: { resolved_by: 'operator' },
    });
    alerts.signal(down);
    expect(open()).toEqual([]);
    time.nowMs += 1;
    alerts.signal(fresh);
    alerts.signal(down);
    expect(open()).toHaveLength(1);
  });

  it('is refused when there is no such alert', () => {
    const { alerts } = setUp();
    const hint = 'agtmux alerts prints the open ones with their ids.';
    const refusal = { ok: false, refusal: { code: 'E_REF_NOT_FOUND', hint } };
    expect(alerts.acknowledge('nothing')).toMatchObject(refusal);
    expect(alerts.resolve('nothing')).toMatchObject(refusal);
  });
});

describe('the keeper of alerts', () => {
  it('resolves at a start what an earlier life left, but not what a person must see', () => {
    const { alerts, life, open, store } = setUp();
    alerts.signal(down);
    alerts.signal({ kind: 'quarantined', eventId: 'event-1' });
    const next = life();
    expect(open()).toEqual(['event_quarantined event-1 escalate']);
    next.signal({ kind: 'quarantined', eventId: 'event-1' });
    expect(store.alerts.list({ includeResolved: true })).toHaveLength(2);
  });

  it('writes nothing when nothing changed', () => {
    const { alerts, store, time } = setUp();
    alerts.signal(down);
    const [before] = store.alerts.list({ includeResolved: false });
    time.nowMs += 5_000;
    alerts.signal(down);
    expect(store.alerts.list({ includeResolved: false })).toEqual([before]);
  });

  it('keeps so many and says that there are more', () => {
    const { alerts, open } = setUp(3);
    for (let n = 0; n < 50; n += 1) {
      alerts.signal({ kind: 'channel', channel: `c${n}`, status: 'down' });
    }
    expect(open()).toHaveLength(4);
    expect(open()).toContain('too_many_alerts alerts degraded');
    for (let n = 0; n < 50; n += 1) {
      alerts.signal({ kind: 'channel', channel: `c${n}`, status: 'fresh' });
    }
    expect(open()).toEqual([]);
  });

  it('outlives a store that cannot write while there are too many', () => {
    const { store, life, open } = setUp(3);
    let isFull = false;
    const full = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
      return (...args: Args): Result => {
        if (isFull) throw new Fault('store_full', { about: 'db' });
        return call(...args);
      };
    };
    const alerts = life({
      open: full(store.alerts.open),
      acknowledge: full(store.alerts.acknowledge),
      resolve: full(store.alerts.resolve),
      list: store.alerts.list,
    });
    const signal = (channel: string, status: 'down' | 'fresh'): void =>
      alerts.signal({ kind: 'channel', channel, status });
    signal('c0', 'down');
    signal('c1', 'down');
    isFull = true;
    signal('c2', 'down');
    isFull = false;
    signal('c3', 'down');
    signal('c0', 'fresh');
    isFull = true;
    signal('c2', 'fresh');
    isFull = false;
    signal('c1', 'fresh');
    expect(open()).toEqual([]);
  });

  it('asks nothing of the store before its owner can receive a fault', () => {
    const { store, faults } = setUp();
    const full = (): never => {
      throw new Fault('store_full', { about: 'db' });
    };
    const onFault = (error: unknown) => faults.push(error);
    const alerts = new Alerts({
      store: { open: full, acknowledge: full, resolve: full, list: full },
      nowMs: () => T0,
      openMax: () => 3,
      onFault,
    });
    expect(faults).toEqual([]);
    alerts.begin();
    expect(faults).toHaveLength(1);
    expect(store.alerts.list({ includeResolved: false })).toEqual([]);
  });

  it('of a server that ended lasts over a restart, for 15 minutes in all', () => {
    const { time, life, open, alerts } = setUp();
    const server = 'local:/tmp/tmux-1/default';
    alerts.signal({ kind: 'server_ended', server, panes: 3, agents: 2 });
    time.nowMs = T0 + 600_000;
    const next = life();
    expect(next.standing()).toMatchObject([{ condition: { code: 'tmux_ended' }, openedAtMs: T0 }]);
    time.nowMs = T0 + 899_999;
    next.tick();
    expect(open()).toEqual([`tmux_ended ${server} warn`]);
    time.nowMs = T0 + 900_000;
    next.tick();
    expect(open()).toEqual([]);
    next.signal({ kind: 'server_ended', server, panes: 3, agents: 2 });
    time.nowMs = T0 + 1_800_000;
    expect(life().standing()).toEqual([]);
  });

  it('outlives a store that cannot write, and opens the alert later', () => {
    const { store, life, faults, open } = setUp();
    let isFull = true;
    const failing = {
      ...store.alerts,
      open: (report: AlertReport) => {
        if (isFull) throw new Fault('store_full', { about: 'db' });
        return store.alerts.open(report);
      },
    };
    const alerts = life(failing);
    alerts.signal(down);
    expect([faults.length, open()]).toEqual([1, []]);
    isFull = false;
    alerts.signal(down);
    expect(open()).toEqual(['source_silent spool@local degraded']);
  });

  it('does not go round in circles when the fault of the store is itself a signal', () => {
    const { store } = setUp();
    let calls = 0;
    const full = (): never => {
      throw new Fault('store_full', { about: 'db' });
    };
    const failing = {
      open: full,
      acknowledge: full,
      resolve: full,
      list: () => [],
    };
    const alerts: Alerts = new Alerts({
      store: failing,
      nowMs: () => T0,
      openMax: () => 9,
      onFault: () => {
        calls += 1;
        alerts.signal({ kind: 'store', code: 'store_full', detail: null });
      },
    });
    alerts.signal(down);
    expect(calls).toBe(1);
    expect(store.alerts.list({ includeResolved: true })).toEqual([]);
  });
});
