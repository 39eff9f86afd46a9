// Upkeep over a real store and engine: old events go, in small steps, and the daemon breathes
// between.

import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { agentsAtWork } from '../../bench/turns.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { storeJobs, Upkeep } from '../../src/daemon/life/upkeep.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import { id } from '../../src/schema/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { firstBatch, randomOf } from '../crash/stream.ts';
import { config, T0 } from '../scenario.ts';
import { makeFolder } from './program.ts';

const DAY_MS = 86_400_000;

it('takes the snapshot that is due, then lets old events go without blocking', async () => {
  const store = openStore({ path: join(makeFolder(), 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  let counter = 0;
  const engine = new Engine({ store, nextEventId: () => id(`n${counter++}`) });
  engine.observe([{ kind: 'fact', fact: { type: 'daemon.started', atMs: T0, config } }]);
  engine.observe(firstBatch(5, T0));
  const next = agentsAtWork(5, randomOf(1));
  for (let batch = 0; batch < 30; batch += 1) engine.observe(Array.from({ length: 100 }, next));
  expect(store.lastSeq()).toBeGreaterThan(2_500);

  const time = { mono: 0, nowMs: T0 + 1_000 };
  const calls: number[] = [];
  const runRetention: typeof store.runRetention = (options) => {
    calls.push(performance.now());
    return store.runRetention(options);
  };
  const upkeep = new Upkeep({
    jobs: storeJobs({
      store: { runRetention, daemonRuns: store.daemonRuns },
      engine,
      nowMs: () => time.nowMs,
      retention: () => defaultConfig.retention,
    }),
    monotonicMs: () => time.mono,
    wallMs: () => time.mono,
    onWake: () => {},
    onFault: (_name, fault) => {
      throw fault;
    },
  });
  onTestFinished(() => upkeep[Symbol.dispose]());
  // The first look only starts the engine's own quarter of an hour.
  for (const passedMs of [10_000, 900_000, 30 * DAY_MS]) {
    time.mono += passedMs;
    time.nowMs += passedMs;
    upkeep.tick();
  }
  expect(store.latestSnapshot().snapshot?.seq).toBe(store.lastSeq());
  const calledAtOnce = calls.length;
  await vi.waitFor(
    () => {
      expect([...store.eventsAfter(store.lastSeq() - 1)]).toHaveLength(1);
      expect(() => [...store.eventsAfter(0)]).toThrow(/are gone/);
      expect(() => [...store.eventsAfter(store.lastSeq() - 2)]).toThrow(/are gone/);
    },
    { timeout: 20_000 },
  );
  expect(calledAtOnce).toBeLessThanOrEqual(2);
  expect(calls.length).toBeGreaterThan(5);
});
