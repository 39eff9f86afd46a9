import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';

it('line ends become LF, and escape sequences go with all that belongs to them', () => {
  expect(cleanText('a\r\nb\rc\x1b[31mred\x1b[0m\x1b]0;title\x07!').text).toBe('a\nb\ncred!');
});

it('a text cannot end its own paste', () => {
  expect(cleanText('a\x1b[201~\rrm -rf /').text).toBe('a\nrm -rf /');
});

it('emoji with joiners, flags, tabs and CJK stay as they are', () => {
  const text = 'x\t👩‍💻🇯🇵 日本語 é';
  expect(cleanText(text)).toEqual({ text, removedCount: 0 });
});

it('invisible characters are removed and counted', () => {
  expect(cleanText('a\u200bb\u202ec\ufeffd')).toEqual({ text: 'abcd', removedCount: 3 });
});

it('no control character but tab and LF is left of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (raw) => {
      const { text } = cleanText(raw);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(cleanText(text).text).toBe(text);
    }),
  );
});

it('marks of direction and hidden letters are left out, and line separators end lines', () => {
  const hidden = '\u061c\u202e\u2066\u2069\u180e\ufff9\ufffb\u{e0041}\u{e0101}';
  expect(cleanText(`a${hidden}b\u2028c\u2029d`)).toEqual({
    text: 'ab\nc\nd',
    removedCount: hidden.length,
  });
  expect(cleanText('می\u200cخواهم 👩\u200d💻 ❤\ufe0f').removedCount).toBe(0);
});
