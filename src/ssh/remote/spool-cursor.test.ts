import { describe, expect, it } from 'vitest';
import { cursorAfter, freshCursor, type SpoolCursor, TAKEN_MAX } from './spool-cursor.ts';

const NOW_MS = 1_800_000_000_000;
const nameAt = (ms: number, micros = 0, pid = 7): string => `${ms * 1_000 + micros}-${pid}.event`;

/** What a listing after this cursor still shows as news. */
const isNews = ({ after, taken }: SpoolCursor, name: string): boolean =>
  Number(name.slice(0, 16)) > after && !taken.has(name);

describe('what was taken of a spool', () => {
  it('is no news, and what is finished after a later one still is', () => {
    const cursor = cursorAfter(freshCursor, [nameAt(NOW_MS - 9_000), nameAt(NOW_MS)], NOW_MS);
    expect(isNews(cursor, nameAt(NOW_MS - 9_000))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS - 5_000))).toBe(true);
    expect(isNews(cursor, nameAt(NOW_MS, 0, 8))).toBe(true);
    expect(isNews(cursor, nameAt(NOW_MS + 1))).toBe(true);
  });

  it('is forgotten by and by, and is no news then either', () => {
    let cursor = freshCursor;
    for (let at = 0; at < 100_000; at += 1_000) {
      cursor = cursorAfter(cursor, [nameAt(NOW_MS + at)], NOW_MS + at);
      expect(cursor.taken.size).toBeLessThan(20);
    }
    for (let at = 0; at < 100_000; at += 1_000) {
      expect(isNews(cursor, nameAt(NOW_MS + at))).toBe(false);
    }
  });

  it('is bounded where much is told at once', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => nameAt(NOW_MS, index));
    const cursor = cursorAfter(freshCursor, names, NOW_MS);
    expect(cursor.taken.size).toBe(TAKEN_MAX);
    expect(names.some((name) => isNews(cursor, name))).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS, 5_000))).toBe(true);
  });

  it('hides nothing because of one from the future', () => {
    const future = '8999999999999999-1.event';
    const cursor = cursorAfter(freshCursor, [future], NOW_MS);
    expect(isNews(cursor, future)).toBe(false);
    expect(isNews(cursor, nameAt(NOW_MS))).toBe(true);
  });

  it('never goes back', () => {
    const cursor = cursorAfter(freshCursor, [nameAt(NOW_MS)], NOW_MS);
    expect(cursorAfter(cursor, [], NOW_MS - 3_600_000)).toEqual(cursor);
    expect(cursorAfter(cursor, [nameAt(NOW_MS - 1)], NOW_MS).after).toBe(cursor.after);
  });
});
