// What the daemon reads back for people: history, the ledger of a runtime, alerts, adapters,
// cursors.

import { describe, expect, it } from 'vitest';
import { alertSchema } from '../../src/schema/api/health.ts';
import { ledgerEventSchema } from '../../src/schema/api/ledger.ts';
import type { Change } from '../../src/schema/change.ts';
import { id } from '../../src/schema/ids.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import type { Store } from '../../src/store/store.ts';
import {
  commitTiny,
  DAY_MS,
  evidenceEvent,
  evidenceRange,
  hooks,
  makeStore,
  paneChange,
  paneKey,
  query,
  redacted,
  row,
  rowChange,
  runtimeChange,
  runtimeId,
  T0,
  tamper,
} from './fixture.ts';

/** Steps of pane 0 and pane 1 in turn, `count` of each, one batch for every two. */
function storeWithSteps(count: number): Store {
  const store = makeStore();
  store.commit({ events: [], changes: [paneChange(0), paneChange(1), runtimeChange(0)] });
  for (let version = 1; version <= count; version += 1) {
    const before = version === 1 ? null : version - 1;
    const value: PaneRow = row(version);
    store.commit({
      events: [evidenceEvent(version)],
      changes: [rowChange(before, value), rowChange(before, value, { pane: 1 })],
    });
  }
  return store;
}

type RowChange = Extract<Change, { kind: 'row' }>;

describe('history', () => {
  it('of one pane is its own steps, newest first, with the agent of each', () => {
    const store = storeWithSteps(5);
    const steps = store.history({ paneKey: paneKey(1), limit: 3 });
    expect(steps.map((step) => [step.paneKey, step.stateVersion, step.atMs])).toEqual([
      [paneKey(1), 5, T0 + 5],
      [paneKey(1), 4, T0 + 4],
      [paneKey(1), 3, T0 + 3],
    ]);
    expect(steps[0]).toMatchObject({ agent: 'claude', state: 'running', source: hooks });
  });

  it('keeps every step of a pane that changed several times in one batch', () => {
    const store = makeStore();
    const changes = [paneChange(0), rowChange(null, row(1)), rowChange(1, row(2))];
    store.commit({ events: [evidenceEvent(1)], changes });
    store.commit({ events: [evidenceEvent(2)], changes: [rowChange(2, row(3))] });
    const versions = store.history({ paneKey: paneKey(0), limit: 9 }).map((s) => s.stateVersion);
    expect(versions).toEqual([3, 2, 1]);
  });

  it('a change that is no step of history leaves the chain whole', () => {
    const store = storeWithSteps(2);
    store.commit({ events: [evidenceEvent(9)], changes: [rowChange(2, row(2, { rowSeq: 9 }))] });
    store.commit({ events: [evidenceEvent(10)], changes: [rowChange(2, row(3))] });
    const versions = store.history({ paneKey: paneKey(0), limit: 9 }).map((s) => s.stateVersion);
    expect(versions).toEqual([3, 2, 1]);
  });

  it('of all panes goes back to a time and no further', () => {
    const store = storeWithSteps(5);
    const steps = store.history({ sinceMs: T0 + 4, limit: 100 });
    expect(steps.map((step) => step.stateVersion)).toEqual([5, 5, 4, 4]);
    const own = store.history({ paneKey: paneKey(0), sinceMs: T0 + 4, limit: 100 });
    expect(own.map((step) => step.stateVersion)).toEqual([5, 4]);
  });

  it('ends where retention has been, and never goes on with the steps of another pane', () => {
    const store = storeWithSteps(3);
    tamper(store.path, `UPDATE state_history SET pane_key = 'other' WHERE id = 3`);
    const versions = store.history({ paneKey: paneKey(0), limit: 9 }).map((s) => s.stateVersion);
    expect(versions).toEqual([3]);
    tamper(store.path, 'DELETE FROM state_history');
    expect(store.history({ paneKey: paneKey(0), limit: 9 })).toEqual([]);
  });

  it('leaves out what a later step replaced: a restart makes no split', () => {
    const store = makeStore();
    const hidden = { state: 'unknown', reasonCode: 'reconfirming' } as const;
    const step = (version: number, atMs: number, changes: Partial<PaneRow> = {}): Change => ({
      ...(rowChange(version === 1 ? null : version - 1, row(version, changes)) as RowChange),
      atMs,
    });
    const changes = [
      paneChange(0),
      step(1, T0),
      step(2, T0 + 10, { state: 'waiting_approval' }),
      step(3, T0 + 500, hidden),
      step(4, T0 + 10, { state: 'waiting_approval' }),
      step(5, T0 + 900, hidden),
      step(6, T0 + 700, { state: 'completed' }),
    ];
    store.commit({ events: [evidenceEvent(1)], changes });
    const expected = [
      ['completed', T0 + 700],
      ['waiting_approval', T0 + 10],
      ['running', T0],
    ];
    const shown = (query: Parameters<Store['history']>[0]) =>
      store.history(query).map((each) => [each.state, each.atMs]);
    expect(shown({ paneKey: paneKey(0), limit: 9 })).toEqual(expected);
    expect(shown({ limit: 9 })).toEqual(expected);
    expect(shown({ limit: 9, sinceMs: T0 + 100 })).toEqual(expected.slice(0, 1));
  });

  it('of a pane that nobody knows is empty', () => {
    expect(makeStore().history({ paneKey: paneKey(7), limit: 9 })).toEqual([]);
  });
});

it('the bindings of a pane are kept in their order, each with its pane', () => {
  const store = makeStore();
  const binding = (pane: number, atMs: number): Change => ({
    kind: 'binding',
    paneKey: paneKey(pane),
    runtimeId: runtimeId(pane),
    sessionKey: null,
    from: 'unmanaged',
    to: 'managed_heuristic',
    transition: 'heuristic_signature',
    atMs,
  });
  store.commit({ events: [], changes: [binding(0, 1), binding(1, 2), binding(0, 3)] });
  const sql = 'SELECT runtime_id, to_state, at FROM bindings WHERE pane_key = ? ORDER BY id';
  const step = { runtime_id: runtimeId(0), to_state: 'managed_heuristic' };
  expect(query(store.path, sql, paneKey(0))).toEqual([
    { ...step, at: 1 },
    { ...step, at: 3 },
  ]);
});

describe('the ledger of a runtime', () => {
  it('lists its newest events first, with their claims and without their payload', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 6, { evidence: { payload: { prompt: 'a secret' } } }));
    const ended = redacted({
      type: 'runtime.ended',
      eventId: id('end'),
      atMs: T0 + 7,
      runtimeId: runtimeId(0),
      reason: 'process_gone',
      exitCode: 1,
      crashed: true,
    });
    store.commit({ events: [ended], changes: [] });
    const events = store.eventsOfRuntime(runtimeId(0), 3);
    expect(events.map((event) => ledgerEventSchema.parse(event))).toEqual(events);
    expect(events.map(({ seq, summary }) => [seq, summary])).toEqual([
      [7, 'ended: process_gone, exit 1, crashed'],
      [6, 'PreToolUse: running by tool'],
      [4, 'PreToolUse: running by tool'],
    ]);
    expect(events[1]).toMatchObject({ source: hooks, disposition: 'apply', event_id: 'event-6' });
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('finds the last event of each source, however many others came after it', () => {
    const store = makeStore();
    const cursor: Change = {
      kind: 'cursor',
      runtimeId: runtimeId(1),
      source: hooks,
      cursor: { sourceSeq: 1, eventTimeMs: T0, ingestedAtMs: T0, eventId: id('event-1') },
    };
    store.commit({ events: [evidenceEvent(1, { pane: 1 })], changes: [cursor] });
    const others = Array.from({ length: 20_000 }, (_, index) => evidenceEvent(index + 2));
    store.commit({ events: others, changes: [] });
    expect(store.eventsOfRuntime(runtimeId(1), 10).map(({ seq }) => seq)).toEqual([1]);
    expect(store.eventsOfRuntime(runtimeId(0), 5_000)).toHaveLength(1_000);
  });

  it('shows a time that no calendar holds as the end of the calendar', () => {
    const store = makeStore();
    const evidence = { eventTimeMs: 1e300 };
    store.commit({ events: [evidenceEvent(1, { evidence })], changes: [] });
    const [event] = store.eventsOfRuntime(runtimeId(0), 1);
    expect(event?.event_time).toBe('9999-12-31T23:59:59.999Z');
  });
});

describe('alerts', () => {
  const report = {
    code: 'timeout',
    about: 'spool@local',
    level: 'warn',
    detail: 'first',
    atMs: T0,
  } as const;

  it('has one open alert for each code and noun, and updates it', () => {
    const store = makeStore();
    const first = store.alerts.open(report);
    const again = store.alerts.open({ ...report, level: 'degraded', detail: null, atMs: T0 + 5 });
    expect(alertSchema.parse(again)).toEqual(again);
    expect(again).toMatchObject({ alert_id: first.alert_id, level: 'degraded', detail: null });
    expect(again.opened_at).toBe(first.opened_at);
    expect(again.updated_at > first.updated_at).toBe(true);
    store.alerts.open({ ...report, about: 'tmux@local' });
    expect(store.alerts.list({ includeResolved: false })).toHaveLength(2);
  });

  it('a resolved alert is listed on demand, and the next one of its kind is another', () => {
    const store = makeStore();
    const { alert_id: alertId } = store.alerts.open(report);
    expect(store.alerts.acknowledge(alertId, T0 + 1)?.acknowledged_at).not.toBeNull();
    expect(store.alerts.resolve(alertId, 'operator', T0 + 2)?.resolved_by).toBe('operator');
    expect(store.alerts.resolve(alertId, 'operator', T0 + 3)).toBeNull();
    expect(store.alerts.acknowledge(alertId, T0 + 3)).toBeNull();
    expect(store.alerts.list({ includeResolved: false })).toEqual([]);
    const next = store.alerts.open({ ...report, atMs: T0 + 4 });
    expect(next.alert_id).not.toBe(alertId);
    const listed = store.alerts.list({ includeResolved: true }).map((alert) => alert.alert_id);
    expect(listed).toEqual([next.alert_id, alertId]);
  });

  it('that ends and comes back within a millisecond goes on', () => {
    const store = makeStore();
    const { alert_id: alertId } = store.alerts.open(report);
    store.alerts.resolve(alertId, 'auto', T0);
    expect(store.alerts.open(report)).toMatchObject({ alert_id: alertId, resolved_at: null });
  });

  it('is forgotten with the rest of the metadata, but never while it is open', () => {
    const store = makeStore();
    const { alert_id: alertId } = store.alerts.open(report);
    store.alerts.open({ ...report, about: 'still open' });
    store.alerts.resolve(alertId, 'auto', T0);
    expect(store.runRetention({ nowMs: T0 + 15 * DAY_MS }).rows).toEqual({ alerts: 1 });
    const left = store.alerts.list({ includeResolved: true }).map((alert) => alert.about);
    expect(left).toEqual(['still open']);
  });
});

it('the switch of an adapter outlives what the adapter is', () => {
  const store = makeStore();
  const adapter = { name: 'claude', agent: 'claude', version: '1', capabilities: { hooks: true } };
  expect(store.adapters.setEnabled('claude', false, T0)).toBe(false);
  store.adapters.save([adapter, { ...adapter, name: 'codex' }], T0);
  expect(store.adapters.disabled()).toEqual([]);
  expect(store.adapters.setEnabled('claude', false, T0)).toBe(true);
  store.adapters.save([{ ...adapter, version: '2' }], T0 + 1);
  expect(store.adapters.disabled()).toEqual(['claude']);
  store.adapters.setEnabled('claude', true, T0 + 2);
  expect(store.adapters.disabled()).toEqual([]);
});

it('the cursor of a source is what was saved last', () => {
  const store = makeStore();
  expect(store.sourceCursors.load('acme@local')).toBeNull();
  store.sourceCursors.save('acme@local', { fetched: 'f1', committed: null, atMs: T0 });
  store.sourceCursors.save('acme@local', { fetched: 'f2', committed: 'c1', atMs: T0 + 1 });
  expect(store.sourceCursors.load('acme@local')).toEqual({
    fetched: 'f2',
    committed: 'c1',
    atMs: T0 + 1,
  });
});
