import { expect, test } from 'vitest';
import { budgetSignals, HealthWatch } from './health-watch.ts';

const T0 = 1_800_000_000_000;

test('the lag is the 95th percentile of a minute, and null before there are enough samples', () => {
  const watch = new HealthWatch();
  for (let n = 1; n <= 19; n += 1) watch.recordLag(n, T0);
  expect(watch.measure(T0, 0).lagP95Ms).toBeNull();
  for (let n = 20; n <= 100; n += 1) watch.recordLag(n, T0);
  expect(watch.measure(T0, 0).lagP95Ms).toBe(95);
  expect(watch.measure(T0 + 60_001, 0).lagP95Ms).toBeNull();
});

test('processor time is a share of one core over the window', () => {
  const watch = new HealthWatch();
  expect(watch.measure(T0, 5_000).cpuPercent).toBeNull();
  expect(watch.measure(T0 + 20_000, 15_000).cpuPercent).toBeNull();
  expect(watch.measure(T0 + 40_000, 15_000).cpuPercent).toBe(25);
  // The busy start is out of the window by now.
  expect(watch.measure(T0 + 100_000, 15_000).cpuPercent).toBe(0);
});

test('the samples stay bounded in a storm of events', () => {
  const watch = new HealthWatch();
  for (let n = 0; n < 100_000; n += 1) watch.recordLag(n, T0);
  expect(watch.measure(T0, 0).lagP95Ms).toBeGreaterThan(99_000);
});

test('only what was measured over its limit breaks a budget', () => {
  const budgets = { lagMs: 1_000, cpuPercent: 25 };
  const signals = budgetSignals({ lagP95Ms: 1_500, cpuPercent: null }, budgets);
  expect(signals).toEqual([
    { kind: 'budget', name: 'lag_p95_ms', measured: 1_500, limit: 1_000 },
    { kind: 'budget', name: 'cpu_percent', measured: 0, limit: 25 },
  ]);
});
