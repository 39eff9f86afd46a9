// How long agents waited, over a real socket; and that a long history is read in turns.

import { expect, test } from 'vitest';
import { summarizeTimes } from '../../src/operations/answer/time-spent.ts';
import { historySummarySchema } from '../../src/schema/api/ledger.ts';
import type { TimelineStep } from '../../src/schema/history.ts';
import { type AgentName, id, type PaneKey } from '../../src/schema/ids.ts';
import { local, T0 } from '../scenario.ts';
import { Inside } from './fixture.ts';

async function serve() {
  const inside = new Inside();
  await inside.serve();
  return { inside, client: await inside.connect() };
}

test('adds up how long agents waited, and lists the longest waits', async () => {
  const { inside, client } = await serve();
  inside.says(0, 'running');
  inside.nowMs += 5_000;
  inside.says(0, 'waiting_approval');
  inside.nowMs += 20_000;
  inside.says(0, 'running');
  inside.nowMs += 1_000;
  const reply = await client.call('history_summary', { ref: '%0', by: 'session' });
  const summary = historySummarySchema.parse(reply);
  const { observed_ms: observed, states } = summary.total;
  const all = Object.values(states).reduce((sum, each) => sum + (each ?? 0), 0);
  expect(all).toBe(observed);
  expect(summary.total).toMatchObject({ waiting_ms: 20_001, waits: 1 });
  expect(summary.groups).toMatchObject([{ name: 'work', waiting_ms: 20_001 }]);
  expect(summary.longest_waits).toMatchObject([
    { pane: 'work:0.0', waited_ms: 20_001, state: 'waiting_approval', session: 'work' },
  ]);
  const byDay = await client.call('history_summary', { by: 'day', time_zone: 'Asia/Tokyo' });
  expect(byDay.total.waiting_ms).toBe(20_001);
  expect(byDay.groups.map(({ waiting_ms }) => waiting_ms)).toContain(20_001);
  expect(byDay).toMatchObject({ time_zone: 'Asia/Tokyo', partial: false });
});

test('prints whole milliseconds where the clock has fractions of them', async () => {
  const { inside, client } = await serve();
  inside.says(0, 'waiting_approval');
  inside.nowMs += 1_000.7;
  const reply = await client.call('history_summary', {});
  expect(historySummarySchema.safeParse(reply).error).toBeUndefined();
  expect(reply.total.waiting_ms).toBeGreaterThanOrEqual(1_000);
});

test('refuses a time zone that does not exist', async () => {
  const { client } = await serve();
  const call = client.call('history_summary', { time_zone: 'Mars/Base' });
  await expect(call).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
});

/** A history of one agent that waits every second minute, with as many steps as asked for. */
function longHistory(count: number) {
  const stepAt = (stepId: number): TimelineStep => ({
    id: stepId,
    previousId: stepId > 1 ? stepId - 1 : null,
    paneKey: id<PaneKey>('pane'),
    agent: id<AgentName>('claude'),
    targetId: local,
    sessionName: 'work',
    state: stepId % 2 === 0 ? 'waiting_approval' : 'running',
    reasonCode: null,
    presence: 'managed',
    atMs: T0 + stepId * 60_000,
    learnedAtMs: null,
  });
  const pages: number[] = [];
  const timeline = {
    page: (beforeId: number | null, limit: number) => {
      const last = (beforeId ?? count + 1) - 1;
      const steps = Array.from({ length: Math.min(limit, last) }, (_, index) =>
        stepAt(last - index),
      );
      pages.push(steps.length);
      return steps;
    },
    step: stepAt,
    heads: () => new Map([[id<PaneKey>('pane'), count]]),
  };
  const nowMs = T0 + (count + 1) * 60_000;
  const query = { paneKey: null, nowMs, by: 'agent', timeZone: 'UTC', waitCount: 1 } as const;
  const port = { timeline, daemonRuns: { spans: () => [{ fromMs: T0, toMs: nowMs }] } };
  return { port, query, pages };
}

test('reads a long history in pages, and other work has its turn between two', async () => {
  const { port, query, pages } = longHistory(20_000);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const { total } = await summarizeTimes(port, { ...query, sinceMs: 0 }, AbortSignal.any([]));
  clearImmediate(immediate);
  expect(Math.max(...pages)).toBeLessThanOrEqual(1_000);
  expect(turns).toBeGreaterThanOrEqual(pages.length - 2);
  expect(total).toMatchObject({ waitCount: 10_000, waitingMs: 600_000_000 });
});

test('reads no further back than it must, and stops where its caller has gone', async () => {
  const { port, query, pages } = longHistory(20_000);
  const sinceMs = query.nowMs - 600_000;
  const { total } = await summarizeTimes(port, { ...query, sinceMs }, AbortSignal.any([]));
  expect(total.observedMs).toBe(600_000);
  expect(pages.length).toBeLessThanOrEqual(2);
  const stopped = summarizeTimes(port, { ...query, sinceMs: 0 }, AbortSignal.abort());
  await expect(stopped).rejects.toThrow();
});
