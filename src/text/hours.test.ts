import { describe, expect, it } from 'vitest';
import { minutesLeft, parseHours } from './hours.ts';

const every = [0, 1, 2, 3, 4, 5, 6];

describe('hours as text', () => {
  it.each([
    ['22:00-07:00', { days: every, fromMinute: 1_320, toMinute: 420 }],
    ['0:00-24:00', { days: every, fromMinute: 0, toMinute: 1_440 }],
    ['Mon-Fri 12:00-13:30', { days: [1, 2, 3, 4, 5], fromMinute: 720, toMinute: 810 }],
    ['fri-mon,wed 08:00-09:00', { days: [5, 6, 0, 1, 3], fromMinute: 480, toMinute: 540 }],
  ])('%s is read', (text, hours) => {
    expect(parseHours(text)).toEqual(hours);
  });

  it.each([
    '',
    '22-07',
    '25:00-07:00',
    '10:60-11:00',
    '10:00-10:00',
    'day 10:00-11:00',
    '24:00-1:00',
  ])('%j means no hours', (text) => {
    expect(parseHours(text)).toBeNull();
  });
});

describe('the minutes that are left', () => {
  const left = (text: string, day: number, clock: string): number | null => {
    const hours = parseHours(text);
    const [hour = 0, minute = 0] = clock.split(':').map(Number);
    return hours && minutesLeft(hours, { day, minute: hour * 60 + minute });
  };

  it('of hours within a day', () => {
    expect(left('12:00-13:00', 3, '11:59')).toBeNull();
    expect(left('12:00-13:00', 3, '12:00')).toBe(60);
    expect(left('12:00-13:00', 3, '12:59')).toBe(1);
    expect(left('12:00-13:00', 3, '13:00')).toBeNull();
  });

  it('of hours over midnight belong to the day on which they begin', () => {
    expect(left('Fri 22:00-07:00', 5, '23:00')).toBe(8 * 60);
    expect(left('Fri 22:00-07:00', 6, '06:30')).toBe(30);
    expect(left('Fri 22:00-07:00', 5, '06:30')).toBeNull();
    expect(left('Sat 22:00-07:00', 0, '00:00')).toBe(7 * 60);
  });
});
