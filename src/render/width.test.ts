import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeText } from './safe-text.ts';
import { cutToWidth, padToWidth, textWidth, wrapText } from './width.ts';

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['日本', 4],
    ['ｆｕｌｌ', 8],
    ['한국', 4],
    ['🚀', 2],
    ['✓✗·…', 4],
    ['─│', 2],
    ['🇫🇷', 2],
    ['\u05d0\u05d1', 2],
    ['กำ', 2],
  ])('of %s is %i', (text, cells) => {
    expect(textWidth(text)).toBe(cells);
  });
});

describe('cutToWidth', () => {
  it.each([
    ['hello world', 8, 'hello w…'],
    ['hello', 5, 'hello'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['🚀🚀🚀', 3, '🚀…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('cuts %s to %i cells', (text, cells, cut) => {
    expect(cutToWidth(text, cells, '…')).toBe(cut);
  });

  it('is never wider than its limit, and padding fills the limit exactly', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((each) => safeText(each));
    const mark = fc.constantFrom('…', '...', '');
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30 }), mark, (each, cells, sign) => {
        const cut = cutToWidth(each, cells, sign);
        expect(textWidth(cut)).toBeLessThanOrEqual(cells);
        expect(textWidth(padToWidth(cut, cells))).toBe(cells);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('wrapText', () => {
  it('breaks between words, and inside a word that is too long', () => {
    expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(wrapText('日本語', 1)).toEqual(['日', '本', '語']);
    expect(wrapText('', 10)).toEqual([]);
  });
});
