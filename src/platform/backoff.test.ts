// Waits that double up to a cap, are spread, and begin anew after a reset.

import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('delays double up to the cap and start over after a reset', () => {
  const waits = backoff({ firstMs: 100, capMs: 500, random: () => 1 });
  expect([1, 2, 3, 4, 5].map(() => waits.nextDelayMs())).toEqual([100, 200, 400, 500, 500]);
  waits.reset();
  expect(waits.nextDelayMs()).toBe(100);
});

test('successes that go on for long enough start over, and a failure in between ends them', () => {
  const waits = backoff({ firstMs: 100, capMs: 500, random: () => 1, healthyAfterMs: 1_000 });
  const fail = (): number => waits.nextDelayMs();
  expect([fail(), fail(), fail(), fail()]).toEqual([100, 200, 400, 500]);
  waits.succeeded(0);
  waits.succeeded(999);
  expect(fail()).toBe(500);
  waits.succeeded(1_500);
  expect(fail()).toBe(500);
  waits.succeeded(2_000);
  waits.succeeded(3_000);
  expect([fail(), fail()]).toEqual([100, 200]);
});

test('jitter shortens a delay by half at most', () => {
  const waits = backoff({ firstMs: 100, capMs: 500, random: () => 0 });
  expect([waits.nextDelayMs(), waits.nextDelayMs()]).toEqual([50, 100]);
});
