// One transaction for events and what they changed: order, duplicates, compare-and-set, and that a
// batch which fails in the middle leaves nothing behind, neither in the file nor in the writer.

import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/schema/change.ts';
import { type AgentName, type ChannelName, id, type SessionKey } from '../../src/schema/ids.ts';
import {
  eventId,
  evidenceEvent,
  faultOf,
  hooks,
  local,
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
} from './fixture.ts';
import { storedRows } from './restore.ts';

const idsOf = (store: ReturnType<typeof makeStore>): string[] =>
  [...store.eventsAfter(0)].map(({ event }) => event.eventId);

const cursorChange = (n: number): Change => ({
  kind: 'cursor',
  runtimeId: runtimeId(0),
  source: hooks,
  cursor: { sourceSeq: n, eventTimeMs: T0 + n, ingestedAtMs: T0 + n, eventId: eventId(n) },
});

describe('commit', () => {
  it('stores events in the order of the batch and numbers them without gaps', () => {
    const store = makeStore();
    expect(store.lastSeq()).toBe(0);
    const first = store.commit({ events: [3, 1, 2].map((n) => evidenceEvent(n)), changes: [] });
    const second = store.commit({ events: [evidenceEvent(9)], changes: [] });
    expect([first, second]).toEqual([
      { ok: true, lastSeq: 3 },
      { ok: true, lastSeq: 4 },
    ]);
    expect(idsOf(store)).toEqual(['event-3', 'event-1', 'event-2', 'event-9']);
    expect([...store.eventsAfter(0)].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('fills the columns of evidence and keeps its payload out of the body', () => {
    const store = makeStore();
    const event = evidenceEvent(1, {
      evidence: { payload: { tool: 'Bash' }, sourceEventId: 'native-7' },
    });
    const other = redacted({ eventId: eventId(2), atMs: T0, type: 'host.woke' });
    store.commit({ events: [event, other], changes: [] });
    expect(query(store.path, 'SELECT * FROM events')).toMatchObject([
      {
        seq: 1,
        event_id: 'event-1',
        runtime_id: 'runtime-0',
        event_type: 'evidence.observed',
        source: 'claude-hooks',
        source_event_id: 'native-7',
        source_seq: 1,
        event_time: T0 + 1,
        ingested_at: T0 + 1,
        dedupe_key: 'key-1',
        disposition: 'apply',
        tier: 'deterministic',
        body: expect.not.stringContaining('Bash'),
        raw_payload: '{"tool":"Bash"}',
      },
      { seq: 2, event_type: 'host.woke', runtime_id: null, disposition: null, raw_payload: null },
    ]);
  });

  it('takes a batch that has only changes, and one that has nothing', () => {
    const store = makeStore();
    expect(store.commit({ events: [], changes: [paneChange()] })).toEqual({ ok: true, lastSeq: 0 });
    expect(store.commit({ events: [], changes: [] })).toEqual({ ok: true, lastSeq: 0 });
    expect(query(store.path, 'SELECT pane_id FROM panes')).toEqual([{ pane_id: '%0' }]);
  });

  it('writes only the last value of a key, and history for each version', () => {
    const store = makeStore();
    const changes = [
      paneChange(),
      runtimeChange(),
      cursorChange(1),
      rowChange(null, row(1), { event: 1 }),
      cursorChange(2),
      rowChange(1, row(2, { state: 'waiting_approval', reasonCode: null }), { event: 2 }),
      rowChange(2, row(2, { rowSeq: 7 }), { event: 3 }),
    ];
    store.commit({ events: [evidenceEvent(1)], changes });
    expect(storedRows(store)).toEqual(new Map([[paneKey(0), row(2, { rowSeq: 7 })]]));
    expect(query(store.path, 'SELECT * FROM states')).toMatchObject([
      { target_id: 'local', pane_id: '%0', runtime_id: 'runtime-0', last_source_seq: 2 },
    ]);
    expect(query(store.path, 'SELECT state_version, state, event_id FROM state_history')).toEqual([
      { state_version: 1, state: 'running', event_id: 'event-1' },
      { state_version: 2, state: 'waiting_approval', event_id: 'event-2' },
    ]);
    expect(query(store.path, 'SELECT * FROM runtime_source_cursors')).toEqual([
      {
        runtime_id: 'runtime-0',
        source: 'claude-hooks',
        last_source_seq: 2,
        last_order_event_time: T0 + 2,
        last_order_ingested_at: T0 + 2,
        last_order_event_id: 'event-2',
      },
    ]);
  });

  it('writes targets, sessions, bindings, channels and seats', () => {
    const store = makeStore();
    const target = {
      targetId: local,
      name: 'host',
      kind: 'local',
      connectionRef: null,
      health: 'ok',
    } as const;
    const session = {
      kind: 'session',
      sessionKey: id<SessionKey>('s1'),
      runtimeId: runtimeId(0),
      agent: id<AgentName>('claude'),
      atMs: T0,
    } as const;
    const changes: Change[] = [
      { kind: 'target', target, atMs: T0 },
      { kind: 'target', target: { ...target, health: 'down' }, atMs: T0 + 9 },
      { ...session, title: 'Fix the build' },
      { ...session, title: null, runtimeId: runtimeId(1) },
      {
        kind: 'binding',
        paneKey: paneKey(0),
        runtimeId: runtimeId(0),
        sessionKey: null,
        from: 'unmanaged',
        to: 'managed_heuristic',
        transition: 'heuristic_signature',
        atMs: T0,
      },
      { kind: 'channel', channel: id<ChannelName>('spool@local'), status: 'fresh', atMs: T0 },
      { kind: 'channel', channel: id<ChannelName>('spool@local'), status: 'down', atMs: T0 + 1 },
      { kind: 'pane', paneKey: paneKey(5), facts: null, targetId: local, goneAtMs: null, atMs: T0 },
    ];
    store.commit({ events: [], changes });
    const all = (table: string) => query(store.path, `SELECT * FROM ${table}`);
    expect(all('targets')).toMatchObject([
      { health: 'down', last_seen_at: T0, updated_at: T0 + 9 },
    ]);
    expect(all('sessions')).toMatchObject([{ title: 'Fix the build', runtime_id: 'runtime-1' }]);
    expect(all('bindings')).toMatchObject([{ transition: 'heuristic_signature' }]);
    expect(all('source_health')).toMatchObject([{ status: 'down', updated_at: T0 + 1 }]);
    expect(all('panes')).toMatchObject([{ target_id: 'local', pane_id: null, server: null }]);
    store.commit({ events: [], changes: [{ kind: 'target_removed', targetId: local }] });
    expect(all('targets')).toEqual([]);
  });

  it('forgets a pane with its row, ends its runtime, and takes it back in the same batch', () => {
    const store = makeStore();
    const forget: Change = { kind: 'pane_forgotten', paneKey: paneKey(0) };
    const first = [paneChange(), runtimeChange(), rowChange(null, row(4))];
    store.commit({ events: [], changes: first });
    store.commit({
      events: [],
      changes: [rowChange(4, row(5)), forget, paneChange(0, T0 + 9), rowChange(null, row(1))],
    });
    expect(storedRows(store)).toEqual(new Map([[paneKey(0), row(1)]]));
    expect(query(store.path, 'SELECT state_version FROM state_history')).toEqual(
      [4, 5, 1].map((version) => ({ state_version: version })),
    );
    expect(query(store.path, 'SELECT ended_at, end_reason FROM runtimes')).toEqual([
      { ended_at: T0, end_reason: 'pane_forgotten' },
    ]);
    store.commit({ events: [], changes: [forget] });
    expect(storedRows(store).size).toBe(0);
    expect(query(store.path, 'SELECT * FROM panes')).toEqual([]);
  });
});

describe('a duplicate', () => {
  it('of stored evidence, or inside the batch, is named and nothing of the batch is stored', () => {
    const store = makeStore();
    store.commit({ events: [evidenceEvent(1)], changes: [] });
    const again = (n: number, key: number) =>
      evidenceEvent(n, { evidence: { dedupeKey: `key-${key}` } });
    const batch = [evidenceEvent(2), again(3, 1), again(4, 2), evidenceEvent(5), evidenceEvent(1)];
    const refused = store.commit({ events: batch, changes: [paneChange()] });
    expect(refused).toEqual({ ok: false, duplicates: [eventId(3), eventId(4), eventId(1)] });
    expect(idsOf(store)).toEqual(['event-1']);
    expect(query(store.path, 'SELECT * FROM panes')).toEqual([]);
    const rest = store.commit({ events: [evidenceEvent(2), evidenceEvent(5)], changes: [] });
    expect(rest).toEqual({ ok: true, lastSeq: 3 });
  });

  it('is one only for the same runtime and the same source, and only when applied', () => {
    const store = makeStore();
    const dedupeKey = 'same';
    const events = [
      evidenceEvent(1, { evidence: { dedupeKey } }),
      evidenceEvent(2, { pane: 1, evidence: { dedupeKey } }),
      evidenceEvent(3, { evidence: { dedupeKey, source: id('title') } }),
      evidenceEvent(4, { disposition: 'late', evidence: { dedupeKey } }),
      evidenceEvent(5, { disposition: 'late', evidence: { dedupeKey } }),
      evidenceEvent(6, { disposition: 'pending_bind', evidence: { dedupeKey, runtimeId: null } }),
      evidenceEvent(7, { disposition: 'pending_bind', evidence: { dedupeKey, runtimeId: null } }),
    ];
    expect(store.commit({ events, changes: [] })).toEqual({ ok: true, lastSeq: 7 });
  });
});

describe('evidence that waits for its runtime', () => {
  const waiting = (n: number, dedupeKey: string) =>
    evidenceEvent(n, { disposition: 'pending_bind', evidence: { dedupeKey, runtimeId: null } });
  const settled = (n: number, disposition: 'bound' | 'dropped_unbound'): Change => ({
    kind: 'disposition',
    eventId: eventId(n),
    disposition,
    runtimeId: disposition === 'bound' ? runtimeId(0) : null,
  });
  const dispositions = (path: string) =>
    query(path, 'SELECT disposition, runtime_id FROM events ORDER BY seq').map((each) =>
      Object.values(each).join(' '),
    );

  it('is bound or dropped, and counts against duplicates once it is bound', () => {
    const store = makeStore();
    store.commit({ events: [waiting(1, 'a'), waiting(2, 'b')], changes: [] });
    store.commit({ events: [], changes: [settled(1, 'bound'), settled(2, 'dropped_unbound')] });
    expect(dispositions(store.path)).toEqual(['bound runtime-0', 'dropped_unbound ']);
    const event = evidenceEvent(3, { evidence: { dedupeKey: 'a' } });
    expect(store.commit({ events: [event], changes: [] }).ok).toBe(false);
  });

  it('is marked as a duplicate when its runtime had the same evidence already', () => {
    const store = makeStore();
    const same = evidenceEvent(2, { evidence: { dedupeKey: 'a' } });
    store.commit({ events: [waiting(1, 'a'), same], changes: [settled(1, 'bound')] });
    expect(dispositions(store.path)).toEqual(['duplicate runtime-0', 'apply runtime-0']);
  });

  it('replays as it was observed', () => {
    const store = makeStore();
    store.commit({ events: [waiting(1, 'a')], changes: [settled(1, 'bound')] });
    expect([...store.eventsAfter(0)]).toEqual([{ seq: 1, event: waiting(1, 'a') }]);
  });
});

describe('compare-and-set', () => {
  it.each([
    ['a row that should not be there', [rowChange(null, row(1))]],
    ['a row of another version', [rowChange(1, row(2))]],
    ['a chain that is broken inside the batch', [rowChange(3, row(4)), rowChange(3, row(4))]],
  ])('refuses %s and rolls the whole batch back', (_what, changes) => {
    const store = makeStore();
    store.commit({ events: [], changes: [paneChange(), rowChange(null, row(3))] });
    const batch = { events: [evidenceEvent(1)], changes: [paneChange(1), ...changes] };
    const fault = faultOf(() => store.commit(batch));
    expect(fault.code).toBe('binding_cas_conflict');
    expect(fault.message).toContain(paneKey(0));
    expect(storedRows(store)).toEqual(new Map([[paneKey(0), row(3)]]));
    expect(idsOf(store)).toEqual([]);
    expect(query(store.path, 'SELECT count(*) AS n FROM state_history')).toEqual([{ n: 1 }]);
    expect(query(store.path, 'SELECT count(*) AS n FROM panes')).toEqual([{ n: 1 }]);
  });

  it('refuses an update of a row that is gone', () => {
    const store = makeStore();
    store.commit({ events: [], changes: [paneChange()] });
    const fault = faultOf(() => store.commit({ events: [], changes: [rowChange(1, row(2))] }));
    expect(fault.code).toBe('binding_cas_conflict');
  });
});

describe('a batch that fails in the middle', () => {
  it('leaves neither events nor changes, and the next batch is not touched by it', () => {
    const store = makeStore();
    // A row of a pane that was never seen is a bug of the caller: not a Fault.
    const changes = [paneChange(1), runtimeChange(1), cursorChange(1), rowChange(null, row(1))];
    expect(() => store.commit({ events: [evidenceEvent(1)], changes })).toThrow(/NOT NULL/);
    expect(store.commit({ events: [evidenceEvent(2)], changes: [] })).toEqual({
      ok: true,
      lastSeq: 1,
    });
    expect(idsOf(store)).toEqual(['event-2']);
    for (const table of [
      'panes',
      'runtimes',
      'runtime_source_cursors',
      'states',
      'state_history',
    ]) {
      expect(query(store.path, `SELECT * FROM ${table}`)).toEqual([]);
    }
  });
});
