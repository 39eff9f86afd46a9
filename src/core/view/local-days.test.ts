// The days of a stretch by the clock of a zone, with the two days a year that are not 24 hours.

import { describe, expect, test } from 'vitest';
import { localDays } from './local-days.ts';

const HOUR_MS = 3_600_000;
/** Hours after midnight, UTC, of a day that is counted from 1970-01-01. */
const at = (day: number, hours: number): number => (day * 24 + hours) * HOUR_MS;
/** 2026-01-10, 2026-03-27 and 2026-10-31. */
const [JANUARY, MARCH, OCTOBER] = [20_463, 20_539, 20_757];
const lengths = (fromMs: number, toMs: number, zone: string): readonly (string | number)[][] => {
  const days = localDays({ fromMs, toMs }, zone);
  return days.map(({ name, fromMs: beganMs }, index) => [
    name,
    ((days[index + 1]?.fromMs ?? toMs) - beganMs) / HOUR_MS,
  ]);
};

describe('the days of a stretch', () => {
  test('begin at midnight of the zone, the first and the last one cut off', () => {
    const days = lengths(at(JANUARY, 20), at(JANUARY + 2, 1.5), 'Europe/Berlin');
    expect(days).toEqual([
      ['2026-01-10', 3],
      ['2026-01-11', 24],
      ['2026-01-12', 2.5],
    ]);
  });

  test('have 23 hours where the clock is set forward and 25 where it is set back', () => {
    const spring = lengths(at(MARCH, 23), at(MARCH + 3, 22), 'Europe/Berlin');
    expect(spring).toEqual([
      ['2026-03-28', 24],
      ['2026-03-29', 23],
      ['2026-03-30', 24],
    ]);
    const autumn = lengths(at(OCTOBER, 4), at(OCTOBER + 3, 5), 'America/New_York');
    expect(autumn).toEqual([
      ['2026-10-31', 24],
      ['2026-11-01', 25],
      ['2026-11-02', 24],
    ]);
  });

  test('are none of an empty stretch', () => {
    expect(localDays({ fromMs: 5, toMs: 5 }, 'UTC')).toEqual([]);
  });
});
