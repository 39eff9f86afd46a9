// One line of a text of any kind, whole characters only.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstLine } from './first-line.ts';

it('is the first line with words, with single blanks', () => {
  expect(firstLine('\n \t\n  fix   the\ttest \nand more', 80)).toBe('fix the test');
  expect(firstLine('one\rtwo', 80)).toBe('one');
  expect(firstLine('one\u2028two', 80)).toBe('one');
  expect(firstLine(' \n ', 80)).toBe('');
});

it('is never longer than it may be, nor ends in half of a character', () => {
  expect(firstLine('ab😀cd', 3)).toBe('ab');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, max) => {
      const line = firstLine(text, max);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/[\r\n]|[\uD800-\uDBFF]$/);
    }),
  );
});
