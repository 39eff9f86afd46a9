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

test('times of the wall clock stay times of their moment when the wall clock is set back', () => {
  const { time, now } = clockOf(0);
  const beforeMs = time.wall - 1_000;
  time.wall -= 90_000;
  expect(now()).toBe(1_000_000);
  expect(now.fromWall(time.wall)).toBe(1_000_000);
  time.mono += 5_000;
  time.wall += 5_000;
  expect(now.fromWall(time.wall - 1_000)).toBe(1_004_000);
  // Written before the step and read after it.
  expect(now.fromWall(beforeMs)).toBe(999_000);
});

test('a time from between a step of the wall clock and its discovery is of its moment', () => {
  const { time, now } = clockOf(0);
  const beforeMs = time.wall - 100;
  now();
  time.mono += 200;
  time.wall += 200 - 90_000;
  const writtenMs = time.wall - 50;
  expect(now.fromWall(writtenMs)).toBe(1_000_150);
  expect(now.fromWall(beforeMs)).toBe(999_900);
});

test('times of the wall clock stay times of their moment when the wall clock is set ahead', () => {
  const { time, now } = clockOf(0);
  const beforeMs = time.wall - 1_000;
  time.wall += 5_000;
  expect(now.fromWall(time.wall)).toBe(1_000_000);
  expect(now.fromWall(beforeMs)).toBe(999_000);
});

test('a clock that starts at its stored floor takes the wall clock to be behind by that', () => {
  const { time, now } = clockOf(1_090_000);
  expect(now.fromWall(time.wall)).toBe(1_090_000);
  expect(now.fromWall(time.wall - 30_000)).toBe(1_060_000);
});

test('drift moves the times of the wall clock a little; a future time stays in the future', () => {
  const { time, now } = clockOf(0);
  time.wall += 400;
  expect(now()).toBe(1_000_000);
  expect(now.fromWall(time.wall)).toBe(1_000_000);
  expect(now.fromWall(time.wall + 60_000)).toBe(1_060_000);
});

test('a time from before a sleep and one from just after it are told apart', () => {
  const { time, now } = clockOf(0);
  const beforeMs = time.wall - 1_000;
  time.wall += 3_600_000;
  now();
  const wokenMs = time.wall + 100;
  time.wall += 900;
  time.mono += 900;
  now.catchUp();
  expect(now()).toBe(time.wall);
  expect(now.fromWall(beforeMs)).toBe(beforeMs);
  expect(now.fromWall(wokenMs)).toBe(wokenMs);
});
