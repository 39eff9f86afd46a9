// What sums of times are read from: steps in pages with their session, and when a daemon ran.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/schema/change.ts';
import type { TimelineStep } from '../../src/schema/history.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import { migrate, migrations } from '../../src/store/migrate.ts';
import {
  DAY_MS,
  evidenceEvent,
  makeFolder,
  makeStore,
  paneChange,
  paneKey,
  query,
  row,
  rowChange,
  runtimeChange,
  T0,
} from './fixture.ts';

type RowChange = Extract<Change, { kind: 'row' }>;

const step = (
  version: number,
  atMs: number,
  changes: Partial<PaneRow> = {},
  pane = 0,
): RowChange => ({
  ...(rowChange(version === 1 ? null : version - 1, row(version, changes), {
    pane,
    event: version,
  }) as RowChange),
  atMs,
});

const hidden = { state: 'unknown', reasonCode: 'reconfirming' } as const;

describe('the timeline', () => {
  it('gives all steps in pages, newest first, each once', () => {
    const store = makeStore();
    store.commit({ events: [], changes: [paneChange(0), paneChange(1), runtimeChange(0)] });
    for (let version = 1; version <= 5; version += 1) {
      const changes = [step(version, T0 + version), step(version, T0 + version, {}, 1)];
      store.commit({ events: [evidenceEvent(version)], changes });
    }
    const steps: TimelineStep[] = [];
    for (let page = store.timeline.page(null, 3); page.length > 0; ) {
      steps.push(...page);
      page = store.timeline.page(steps.at(-1)?.id ?? 0, 3);
    }
    expect(steps.map(({ id }) => id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(steps[0]).toMatchObject({
      paneKey: paneKey(1),
      previousId: 8,
      agent: 'claude',
      targetId: 'local',
      sessionName: 'work',
      learnedAtMs: null,
    });
    expect([...store.timeline.heads()]).toEqual([
      [paneKey(0), 9],
      [paneKey(1), 10],
    ]);
    expect(store.timeline.step(4)).toEqual(steps[6]);
    expect(store.timeline.step(99)).toBeNull();
  });

  it('names the session of a pane that is forgotten', () => {
    const store = makeStore();
    const forgotten = { kind: 'pane_forgotten', paneKey: paneKey(0) } as const;
    store.commit({ events: [evidenceEvent(1)], changes: [paneChange(0), step(1, T0)] });
    store.commit({ events: [], changes: [forgotten] });
    expect(store.timeline.page(null, 9)).toMatchObject([{ sessionName: 'work' }]);
    expect(store.timeline.heads().size).toBe(0);
  });

  it('says when a state that was hidden for a while was confirmed', () => {
    const store = makeStore();
    store.commit({
      events: [evidenceEvent(1), evidenceEvent(2), evidenceEvent(3, { atMs: T0 + 900 })],
      changes: [paneChange(0), step(1, T0), step(2, T0 + 500, hidden), step(3, T0)],
    });
    const learned = store.timeline.page(null, 9).map(({ learnedAtMs }) => learnedAtMs);
    expect(learned).toEqual([T0 + 900, null, null]);
  });
});

describe('the runs of the daemon', () => {
  it('are one span while signs of life come, and another after a silence', () => {
    const { daemonRuns } = makeStore();
    for (const afterMs of [0, 60_000, 120_000, 3_600_000]) daemonRuns.signOfLife(T0 + afterMs);
    expect(daemonRuns.spans(T0 + 3_630_000)).toEqual([
      { fromMs: T0, toMs: T0 + 120_000 },
      { fromMs: T0 + 3_600_000, toMs: T0 + 3_630_000 },
    ]);
  });

  it('of a daemon that is gone end with its last sign of life', () => {
    const first = makeStore();
    first.daemonRuns.signOfLife(T0);
    first.daemonRuns.signOfLife(T0 + 60_000);
    const next = makeStore({ path: first.path });
    next.daemonRuns.signOfLife(T0 + 90_000);
    expect(next.daemonRuns.spans(T0 + 100_000)).toEqual([
      { fromMs: T0, toMs: T0 + 60_000 },
      { fromMs: T0 + 90_000, toMs: T0 + 100_000 },
    ]);
  });

  it('never overlap, also where the clock was set back', () => {
    const { daemonRuns } = makeStore();
    for (const atMs of [T0, T0 + 60_000, T0 + 30_000, T0 + 90_000]) daemonRuns.signOfLife(atMs);
    expect(daemonRuns.spans(T0 + 90_000)).toEqual([{ fromMs: T0, toMs: T0 + 90_000 }]);
  });

  it('are forgotten with the history of their time, and the one that goes on is kept', () => {
    const store = makeStore();
    store.daemonRuns.signOfLife(T0);
    const laterMs = T0 + 20 * DAY_MS;
    store.daemonRuns.signOfLife(laterMs);
    expect(store.runRetention({ nowMs: laterMs }).rows.daemon_runs).toBe(1);
    expect(query(store.path, 'SELECT started_at FROM daemon_runs')).toEqual([
      { started_at: laterMs },
    ]);
  });
});

it('an upgrade takes what was stored as watched, and names the sessions that are known', () => {
  const path = join(makeFolder(), 'agtmux.db');
  const old = new DatabaseSync(path);
  old.exec('PRAGMA application_id = 0x6167746d');
  migrate(old, path, migrations.slice(0, 5));
  old
    .prepare(
      `INSERT INTO panes (pane_key, target_id, session_name, updated_at)
        VALUES (?, 'local', 'work', 1)`,
    )
    .run(paneKey(0));
  const insert = old.prepare(
    `INSERT INTO state_history (pane_key, state_version, presence, state, confidence, attention,
      event_id, at) VALUES (?, 1, 'managed', 'running', 'high', '[]', 'event', ?)`,
  );
  insert.run(paneKey(0), T0);
  insert.run(paneKey(1), T0 + 50);
  old.close();
  const store = makeStore({ path });
  expect(store.daemonRuns.spans(T0 + 100)).toEqual([{ fromMs: T0, toMs: T0 + 50 }]);
  const names = store.timeline.page(null, 9).map(({ sessionName }) => sessionName);
  expect(names).toEqual([null, 'work']);
});
