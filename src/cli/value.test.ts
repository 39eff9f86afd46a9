import { describe, expect, it } from 'vitest';
import { nearest } from '../text/nearest-word.ts';
import { readDuration, readMoment, readNextTime, readValue } from './value.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('%s is %i ms', (text, durationMs) => {
    expect(readDuration(text)).toBe(durationMs);
  });

  it.each(['', '5', 's', '-1s', '1w', '1 s', '9999999d', '1e3s', '٣s'])(
    '%j is not a duration',
    (text) => {
      expect(readDuration(text)).toBeNull();
    },
  );
});

describe('moments', () => {
  it('are ISO times, or durations that count back from now', () => {
    const nowMs = Date.parse('2026-01-31T12:00:00Z');
    expect(readMoment('10m', nowMs)).toBe(nowMs - 600_000);
    expect(readMoment('2026-01-31T09:30:00Z', nowMs)).toBe(nowMs - 9_000_000);
    expect(readMoment('2026-01-31T09:30:00.250+00:00', nowMs)).toBe(nowMs - 8_999_750);
  });

  it.each(['yesterday', '1', '2026', '2026-13-01', '2026-01-31T25:00:00Z', 'Jan 1'])(
    '%s is none',
    (text) => {
      expect(readMoment(text, 0)).toBeNull();
      expect(readValue({ kind: 'moment', label: 'TIME' }, text).ok).toBe(false);
    },
  );
});

describe('times to come', () => {
  const nowMs = new Date(2026, 0, 31, 12, 0).getTime();

  it.each([
    ['20m', nowMs + 1_200_000],
    ['15:30', new Date(2026, 0, 31, 15, 30).getTime()],
    ['9:05', new Date(2026, 1, 1, 9, 5).getTime()],
    ['12:00', new Date(2026, 1, 1, 12, 0).getTime()],
    ['2026-02-01T08:00', new Date(2026, 1, 1, 8, 0).getTime()],
  ])('%s is the next such time', (text, atMs) => {
    expect(readNextTime(text, nowMs)).toBe(atMs);
  });

  it.each(['24:00', '9:5', 'noon', '2026-01-31T11:59', '2025-01-01', ''])('%j is none', (text) => {
    expect(readNextTime(text, nowMs)).toBeNull();
  });
});

describe('suggestions', () => {
  it.each([
    ['lst', 'list'],
    ['lsit', 'list'],
    ['hist', 'history'],
    ['explian', 'explain'],
    ['sessions', undefined],
    ['x', undefined],
  ])('%s is taken for %s', (word, known) => {
    expect(nearest(word, ['list', 'history', 'explain', 'watch'])).toBe(known);
  });

  it('are not searched for a very long word', () => {
    expect(nearest('x'.repeat(1_000_000), ['list'])).toBeUndefined();
  });
});
