// Waits that double up to a cap, are spread, and begin anew after a reset.

import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('delays double up to the cap and start over after a reset', () => {
  const waits = backoff({ firstMs: 100, capMs: 500, random: () => 1 });
  expect([1, 2, 3, 4, 5].map(() => waits.nextDelayMs())).toEqual([100, 200, 400, 500, 500]);
  waits.reset();
  expect(waits.nextDelayMs()).toBe(100);
});

test('jitter shortens a delay by half at most', () => {
  const waits = backoff({ firstMs: 100, capMs: 500, random: () => 0 });
  expect([waits.nextDelayMs(), waits.nextDelayMs()]).toEqual([50, 100]);
});
