// The daemon's clock goes on whatever the wall clock does.

import { expect, test } from 'vitest';
import { steadyClock } from './clock.ts';

function clockOf(floorMs: number) {
  const time = { wall: 1_000_000, mono: 50 };
  const now = steadyClock(floorMs, { wallMs: () => time.wall, monotonicMs: () => time.mono });
  return { time, now };
}

test('a wall clock that is set back or ahead does not move the steady clock', () => {
  const { time, now } = clockOf(0);
  expect(now()).toBe(1_000_000);
  time.wall -= 3_600_000;
  time.mono += 10;
  expect(now()).toBe(1_000_010);
  time.wall += 7_200_000;
  expect(now()).toBe(1_000_010);
});

test('the steady clock never starts before the stored floor', () => {
  const { time, now } = clockOf(2_000_000);
  expect(now()).toBe(2_000_000);
  time.mono += 1;
  expect(now()).toBe(2_000_001);
});

test('after a sleep the steady clock catches up with the wall clock and never goes back', () => {
  const { time, now } = clockOf(0);
  time.wall += 8 * 3_600_000;
  expect(now()).toBe(1_000_000);
  now.catchUp();
  expect(now()).toBe(time.wall);
  time.wall -= 3_600_000;
  time.mono += 5;
  now.catchUp();
  expect(now()).toBe(1_000_000 + 8 * 3_600_000 + 5);
});

test('drift between the two clocks does not count as sleep', () => {
  const { time, now } = clockOf(0);
  time.wall += 9_999;
  now.catchUp();
  expect(now()).toBe(1_000_000);
});
