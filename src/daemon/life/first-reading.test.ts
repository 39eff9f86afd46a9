// What the first reply of a new daemon waits for.

import { expect, test } from 'vitest';
import { firstReading } from './first-reading.ts';

test.each([
  ['everything is read', 0, 0, 0],
  ['an agent is read a little later', 0, 100, 100],
  ['nothing is read of an agent', 0, Number.POSITIVE_INFINITY, 300],
  ['a server is listed late', 800, 800, 800],
  ['a server does not answer', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1_500],
])('when %s', async (_what, listedAtMs, readAtMs, waitsMs) => {
  let nowMs = 0;
  const reading = { isListed: () => nowMs >= listedAtMs, isRead: () => nowMs >= readAtMs };
  await firstReading(reading, {
    nowMs: () => nowMs,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  expect(nowMs).toBe(waitsMs);
});
