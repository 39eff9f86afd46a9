import { describe, expect, it } from 'vitest';
import { cursorAfter, freshCursor, type SpoolCursor, TAKEN_MAX } from './spool-cursor.ts';

const NOW_MS = 1_800_000_000_000;
const nameAt = (ms: number, micros = 0, pid = 7): string => `${ms * 1_000 + micros}-${pid}.event`;

/** What a listing after this cursor still shows as news. */
const isNews = ({ after, taken }: SpoolCursor, name: string): boolean =>
  Number(name.slice(0, 16)) > after && !taken.has(name);

describe('the cursor of a remote spool', () => {
  it('skips events that were read and keeps one that finished after a later one', () => {
    const cursor = cursorAfter(freshCursor, [nameAt(NOW_MS - 9_000), nameAt(NOW_MS)], NOW_MS);
    expect(isNews(cursor, nameAt(NOW_MS - 9_000))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS - 5_000))).toBe(true);
    expect(isNews(cursor, nameAt(NOW_MS, 0, 8))).toBe(true);
    expect(isNews(cursor, nameAt(NOW_MS + 1))).toBe(true);
  });

  it('forgets old names without reading their events again', () => {
    let cursor = freshCursor;
    for (let at = 0; at < 100_000; at += 1_000) {
      cursor = cursorAfter(cursor, [nameAt(NOW_MS + at)], NOW_MS + at);
      expect(cursor.taken.size).toBeLessThan(20);
    }
    for (let at = 0; at < 100_000; at += 1_000) {
      expect(isNews(cursor, nameAt(NOW_MS + at))).toBe(false);
    }
  });

  it('stays bounded when many events come at once', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => nameAt(NOW_MS, index));
    const cursor = cursorAfter(freshCursor, names, NOW_MS);
    expect(cursor.taken.size).toBe(TAKEN_MAX);
    expect(names.some((name) => isNews(cursor, name))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS, 5_000))).toBe(true);
  });

  it('hides no event behind one that is dated in the future', () => {
    const future = '8999999999999999-1.event';
    const cursor = cursorAfter(freshCursor, [future], NOW_MS);
    expect(isNews(cursor, future)).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS))).toBe(true);
  });

  it('is whole, whatever the clock says: the shell there refuses fractions', () => {
    const { after } = cursorAfter(freshCursor, ['8999999999999999-1.event'], NOW_MS + 0.2503);
    expect(after).toBeGreaterThan(0);
    expect(Number.isInteger(after)).toBe(true);
  });

  it('never goes back', () => {
    const cursor = cursorAfter(freshCursor, [nameAt(NOW_MS)], NOW_MS);
    expect(cursorAfter(cursor, [], NOW_MS - 3_600_000)).toEqual(cursor);
    expect(cursorAfter(cursor, [nameAt(NOW_MS - 1)], NOW_MS).after).toBe(cursor.after);
  });
});
