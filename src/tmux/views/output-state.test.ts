// What a snapshot does not hold of a pane's output, read off the output itself.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { outputState } from './output-state.ts';

const after = (...pieces: readonly string[]): string => {
  const state = outputState();
  for (const piece of pieces) state.feed(piece);
  return state.bytes;
};

it.each([
  ['plain text', ''],
  ['a\x1b', '\x1b'],
  ['a\x1b[3', '\x1b[3'],
  ['a\x1b[31m', '\x1b[31m'],
  ['\x1b[31mred\x1b[1mbold', '\x1b[31m\x1b[1m'],
  ['\x1b[31mred\x1b[0mplain', ''],
  ['\x1b[31mred\x1b[mplain', ''],
  ['\x1b[31mred\x1b[0;1;4m', '\x1b[1;4m'],
  ['\x1b[38;5;0mblack', '\x1b[38;5;0m'],
  ['\x1b[1m\x1b[48;2;0;0;0mx', '\x1b[1m\x1b[48;2;0;0;0m'],
  ['\x1b[>4;2m', ''],
  ['\x1b[31m\x1bc', ''],
  ['\x1b]0;title', '\x1b]0;title'],
  ['\x1b]0;title\x07after', ''],
  ['\x1b]0;title\x1b', '\x1b]0;title\x1b'],
  ['\x1b]0;title\x1b\\after', ''],
  ['\x1bPdata', '\x1bPdata'],
  ['\x1b(', '\x1b('],
  ['\x1b(B', ''],
  ['\xe6\x97', '\xe6\x97'],
  ['\xe6\x97\xa5', ''],
  ['\xf0\x9f\x91', '\xf0\x9f\x91'],
])('after %j', (text, expected) => {
  expect(after(text)).toBe(expected);
});

it('is the same however the output was cut', () => {
  const piece = fc.constantFrom(
    ...['\x1b[31m', '\x1b[0m', '\x1b[38;5;1m', '\x1b]0;a\x07', '\x1b]8;;x\x1b\\', 'text', '\r\n'],
    ...['\xe6\x97\xa5', '\x1b(0', '\x1b[2J', '\x1b7', '\x1b[?1049h', '\x1b', '\x1b[', '\xf0\x9f'],
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, places) => {
      const text = pieces.join('');
      const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort(
        (one, other) => one - other,
      );
      const parts = [...cuts, text.length].map((end, index) =>
        text.slice(cuts[index - 1] ?? 0, end),
      );
      expect(after(...parts)).toBe(after(text));
    }),
  );
});

it('a string without an end is kept as its start, and ends where it ends', () => {
  const long = `\x1b]52;c;${'x'.repeat(100_000)}`;
  expect(after(long)).toBe('\x1b]');
  expect(after(long, 'y'.repeat(10_000))).toBe('\x1b]');
  expect(after(long, '\x07')).toBe('');
});
