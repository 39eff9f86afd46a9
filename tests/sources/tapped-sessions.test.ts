// Which sessions are tapped, and how often a tap that does not live is opened again.

import { expect, it } from 'vitest';
import { TappedSessions } from '../../src/sources/taps/tapped-sessions.ts';

it('opens what is wanted, and says nothing while that is as it was', () => {
  const taps = new TappedSessions(() => 1);
  expect(taps.want([], 0)).toBeNull();
  expect(taps.want(['$1', '$2'], 0)).toEqual(['$1', '$2']);
  expect(taps.want(['$2', '$1'], 1)).toBeNull();
  expect([taps.size, taps.hasAny(['$9', '$2']), taps.hasAny(['$9'])]).toEqual([2, true, false]);
  expect(taps.want(['$2'], 2)).toEqual(['$2']);
  taps.clear();
  expect(taps.want(['$2'], 3)).toEqual(['$2']);
});

it('opens a tap that keeps ending more and more seldom', () => {
  const taps = new TappedSessions(() => 1);
  const openings: number[] = [];
  for (let nowMs = 0; nowMs < 300_000; nowMs += 50) {
    if (taps.want(['$1'], nowMs)?.length !== 1) continue;
    openings.push(nowMs);
    taps.ended(['$1'], nowMs);
  }
  expect(openings.length).toBeLessThan(15);
  expect(openings[1]).toBe(500);
  const waits = openings.slice(1).map((each, index) => each - (openings[index] as number));
  expect(Math.max(...waits)).toBe(60_000);
});

it('opens one that was good for long soon again, whatever happened before', () => {
  const taps = new TappedSessions(() => 1);
  for (let nowMs = 0; nowMs < 20_000; nowMs += 50) {
    if (taps.want(['$1'], nowMs)?.length === 1) taps.ended(['$1'], nowMs);
  }
  expect(taps.want(['$1'], 100_000)).toEqual(['$1']);
  taps.ended(['$1'], 200_000);
  expect(taps.want(['$1'], 200_499)).toBeNull();
  expect(taps.want(['$1'], 200_500)).toEqual(['$1']);
});

it('the end of one holds no other back', () => {
  const taps = new TappedSessions(() => 1);
  taps.want(['$1', '$2'], 0);
  taps.ended(['$1'], 10);
  expect(taps.want(['$1', '$2', '$3'], 11)).toEqual(['$2', '$3']);
});
