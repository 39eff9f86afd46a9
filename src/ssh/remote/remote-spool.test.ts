import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readListing } from './remote-spool.ts';

const GOOD = '1794766694000000-77.event';
const folder = 'drwx------  2 1000 1000 4096 Nov 15 18:12 .';

describe('a listing of a remote spool', () => {
  it('reads the same from GNU, BusyBox and macOS ls', () => {
    const lines = [
      `-rw------- 1 1000 1000 12 Nov 15 18:12 ${GOOD}`,
      `-rw-------    1 1000     1000            12 Nov 15 18:12 ${GOOD}`,
      `-rw-------@ 1 1000  20  12 15 Nov 18:12 ${GOOD}`,
    ];
    for (const line of lines) {
      expect(readListing([folder, line], 1000)).toEqual({
        fit: [{ name: GOOD, size: 12 }],
        refused: [],
        problem: null,
      });
    }
  });

  it.each([
    [`lrwxrwxrwx 1 1000 1000 9 Nov 15 18:12 ${GOOD} -> /etc/passwd`, 'it is a symbolic link'],
    [`prw------- 1 1000 1000 0 Nov 15 18:12 ${GOOD}`, 'it is not a plain file'],
    [`crw------- 1 1000 1000 1, 3 Nov 15 18:12 ${GOOD}`, 'it is not a plain file'],
    [`--w------- 1 1000 1000 12 Nov 15 18:12 ${GOOD}`, 'it may not be read'],
    [`-rw------- 1 0 0 12 Nov 15 18:12 ${GOOD}`, 'it belongs to another user'],
    [`-rw--w---- 1 1000 1000 12 Nov 15 18:12 ${GOOD}`, 'others may write to it'],
    [`-rw-----w- 1 1000 1000 12 Nov 15 18:12 ${GOOD}`, 'others may write to it'],
    [`-rw------- 1 1000 1000 524289 Nov 15 18:12 ${GOOD}`, 'it is larger than 524288 bytes'],
  ])('refuses %s', (line, problem) => {
    expect(readListing([folder, line], 1000)).toMatchObject({
      fit: [],
      refused: [{ name: GOOD, problem }],
    });
  });

  it('is refused when its folder is not private or not listed', () => {
    const line = `-rw------- 1 1000 1000 12 Nov 15 18:12 ${GOOD}`;
    expect(readListing([line], 1000).problem).toBe('it cannot be listed');
    const open = folder.replace('drwx------', 'drwxrwxrwx');
    expect(readListing([open, line], 1000).problem).toBe('others may write to it');
    expect(readListing([folder, line], 7).problem).toBe('it belongs to another user');
  });

  it('is read without throwing, whatever its text', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        expect(readListing(lines, 0).fit).toEqual([]);
      }),
    );
  });
});
