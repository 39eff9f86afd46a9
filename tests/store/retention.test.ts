// Retention: small batches, payloads before events, and never an event that replay still needs.

import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/schema/change.ts';
import { type AgentName, id, type SessionKey } from '../../src/schema/ids.ts';
import type { RetentionOptions, RetentionReport } from '../../src/store/retention.ts';
import {
  commitTiny,
  DAY_MS,
  encodeRows,
  eventId,
  evidenceRange,
  faultOf,
  hooks,
  makeStore,
  paneChange,
  paneKey,
  query,
  row,
  rowChange,
  runtimeChange,
  runtimeId,
  T0,
  tamper,
  tinyRebuild,
} from './fixture.ts';
import { rowDifferences, storedRows } from './restore.ts';

type Store = ReturnType<typeof makeStore>;

const snapshot = (store: Store, atMs: number): void =>
  store.saveSnapshot({
    seq: store.lastSeq(),
    atMs,
    kind: 'periodic',
    parts: [encodeRows(storedRows(store))],
  });

/** Twenty days with ten events each, payloads included, and a snapshot every day. */
function twentyDays({ snapshots = true } = {}): Store {
  const store = makeStore();
  for (let day = 0; day < 20; day += 1) {
    const atMs = T0 + day * DAY_MS;
    const options = { atMs, evidence: { payload: { day } } };
    commitTiny(store, evidenceRange(day * 10 + 1, day * 10 + 10, options));
    if (snapshots) snapshot(store, atMs);
  }
  return store;
}

function runAll(store: Store, options: RetentionOptions): RetentionReport[] {
  const reports: RetentionReport[] = [];
  do reports.push(store.runRetention(options));
  while (reports.at(-1)?.more);
  return reports;
}

const count = (store: Store, from: string): number =>
  Number(query(store.path, `SELECT count(*) AS n FROM ${from}`)[0]?.['n']);

const nowMs = T0 + 20 * DAY_MS;

describe('retention', () => {
  it('clears payloads after 7 days and deletes events after 14, a batch at a time', () => {
    const store = twentyDays();
    const reports = runAll(store, { nowMs, batchRows: 50 });
    expect(reports[0]).toEqual({ rows: { payloads: 50 }, more: true });
    for (const { rows } of reports) {
      expect(Object.values(rows).reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(50);
    }
    expect(count(store, 'events WHERE raw_payload IS NOT NULL')).toBe(70);
    expect(query(store.path, 'SELECT min(seq) AS first FROM events')).toEqual([{ first: 61 }]);
    expect(count(store, 'state_history')).toBe(140);
    expect(runAll(store, { nowMs })).toEqual([{ rows: {}, more: false }]);
  });

  it('keeps the world: snapshot plus tail is still what the rows say', () => {
    const store = twentyDays();
    const before = encodeRows(storedRows(store));
    runAll(store, { nowMs: nowMs + 90 * DAY_MS });
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
    expect(encodeRows(storedRows(store))).toBe(before);
    // Also from the oldest snapshot that is kept, as when the newer ones are damaged.
    tamper(store.path, `UPDATE snapshots SET sha256 = '' WHERE seq IN (190, 200)`);
    expect(store.latestSnapshot().snapshot?.seq).toBe(180);
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
  });

  it('deletes no event that is newer than the oldest kept snapshot, however old it is', () => {
    const store = twentyDays();
    runAll(store, { nowMs: nowMs + 365 * DAY_MS });
    expect(query(store.path, 'SELECT min(seq) AS first FROM events')).toEqual([{ first: 180 }]);
    expect(store.lastSeq()).toBe(200);
    commitTiny(store, evidenceRange(201, 201));
    expect(store.lastSeq()).toBe(201);
  });

  it('deletes no event when there is no snapshot', () => {
    const store = twentyDays({ snapshots: false });
    runAll(store, { nowMs: nowMs + 365 * DAY_MS });
    expect(count(store, 'events')).toBe(200);
    expect(count(store, 'events WHERE raw_payload IS NOT NULL')).toBe(0);
    expect(rowDifferences(store, tinyRebuild)).toEqual([]);
  });

  it('says so when somebody asks for events that are gone', () => {
    const store = twentyDays();
    runAll(store, { nowMs });
    expect([...store.eventsAfter(60)]).toHaveLength(140);
    expect(faultOf(() => [...store.eventsAfter(59)]).code).toBe('rewind_window_exceeded');
  });

  it('opens again after events were deleted', () => {
    const store = twentyDays();
    runAll(store, { nowMs });
    store[Symbol.dispose]();
    const again = makeStore({ path: store.path });
    expect(again.lastSeq()).toBe(200);
    expect(rowDifferences(again, tinyRebuild)).toEqual([]);
  });

  it('is not held back by events from a clock that was years ahead', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 4, { atMs: T0 }));
    commitTiny(store, evidenceRange(5, 6, { atMs: T0 + 9_000 * DAY_MS }));
    commitTiny(store, evidenceRange(7, 8, { atMs: T0 }));
    // A few seconds ahead is a clock that was set, and no reason to forget.
    commitTiny(store, evidenceRange(9, 10, { atMs: nowMs + 5_000 }));
    snapshot(store, nowMs);
    runAll(store, { nowMs });
    expect(query(store.path, 'SELECT min(seq) AS first FROM events')).toEqual([{ first: 9 }]);
  });

  it('removes an ended runtime with its cursors and sessions, and keeps a living one', () => {
    const store = makeStore();
    const of = (n: number): Change[] => [
      paneChange(n),
      {
        kind: 'cursor',
        runtimeId: runtimeId(n),
        source: hooks,
        cursor: { sourceSeq: 1, eventTimeMs: T0, ingestedAtMs: T0, eventId: eventId(1) },
      },
      {
        kind: 'session',
        sessionKey: id<SessionKey>(`session-${n}`),
        runtimeId: runtimeId(n),
        agent: id<AgentName>('claude'),
        title: null,
        atMs: T0,
      },
    ];
    const changes = [
      ...[...of(0), ...of(1), ...of(2), runtimeChange(0, T0 + 1)],
      ...[runtimeChange(1), runtimeChange(2, nowMs)],
    ];
    store.commit({ events: [], changes });
    expect(runAll(store, { nowMs })).toEqual([{ rows: { runtimes: 1 }, more: false }]);
    for (const table of ['runtimes', 'runtime_source_cursors', 'sessions']) {
      expect(query(store.path, `SELECT runtime_id FROM ${table} ORDER BY 1`)).toEqual([
        { runtime_id: 'runtime-1' },
        { runtime_id: 'runtime-2' },
      ]);
    }
  });

  it('removes bindings, actions, their snapshots and what is known of old worlds', () => {
    const store = twentyDays();
    const binding = {
      kind: 'binding',
      paneKey: paneKey(0),
      runtimeId: null,
      sessionKey: null,
      from: 'unmanaged',
      to: 'managed_heuristic',
      transition: 'heuristic_signature',
    } as const;
    const changes = [T0, nowMs].map((atMs): Change => ({ ...binding, atMs }));
    store.commit({ events: [], changes });
    const actions = [`'old', ${T0}`, `'new', ${nowMs}`, `'open', NULL`].map(
      (each) => `INSERT INTO actions (action_id, done_at, kind, pane_key, asked_by, input, asked_at)
        VALUES (${each}, 'send', 'p', 'cli', '{}', ${T0});`,
    );
    const asked = [`'old', ${T0}`, `'new', ${nowMs}`].map(
      (each) => `INSERT INTO action_snapshots
        (snapshot_id, expires_at, target_id, pane_key, state_version, observed_at, nonce)
        VALUES (${each}, 'local', 'p', 1, ${T0}, 'n');`,
    );
    tamper(store.path, [...actions, ...asked].join('\n'));
    runAll(store, { nowMs, batchRows: 7 });
    expect(query(store.path, 'SELECT at FROM bindings')).toEqual([{ at: nowMs }]);
    expect(query(store.path, 'SELECT action_id FROM actions ORDER BY 1')).toEqual([
      { action_id: 'new' },
      { action_id: 'open' },
    ]);
    expect(query(store.path, 'SELECT snapshot_id FROM action_snapshots')).toEqual([
      { snapshot_id: 'new' },
    ]);
    expect(query(store.path, 'SELECT min(seq) AS first FROM snapshots')).toEqual([{ first: 70 }]);
  });

  it('keeps every row of the states, however old', () => {
    const store = makeStore();
    store.commit({ events: [], changes: [paneChange(), rowChange(null, row(1))] });
    runAll(store, { nowMs: nowMs + 365 * DAY_MS });
    expect(storedRows(store).size).toBe(1);
  });
});
