import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeJson, safeText } from './safe-text.ts';

// Written on its own, not with the pattern under test: C0, DEL, C1, line separators, and every
// format character by its block.
function isForbidden(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code >= 0xd800 && code <= 0xdfff) return true;
  if (code >= 0x200b && code <= 0x200f) return true;
  if (code >= 0x2028 && code <= 0x202e) return true;
  if (code >= 0x2060 && code <= 0x206f) return true;
  if (code >= 0xe0000 && code <= 0xe0fff) return true;
  return [0xad, 0x61c, 0x180e, 0xfeff, 0xfff9, 0xfffa, 0xfffb, 0x115f, 0x3164].includes(code);
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '\x1b]52;c;aGk=\x07',
    '\x1b]0;t\x1b\\',
    '\x1b[31m',
    '\x9b2J',
    '\x90q\x9c',
    '\x1bPtmux;\x1b\x1b]52;c;x\x07\x1b\\',
    '\u202e',
    '\u2066',
    '\u200d',
    '\ufeff',
    '\ud800',
    '\r\n',
    '\x1b',
    '\u{e0041}',
  ),
);
const foreign = fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join(''));

describe('safeText', () => {
  it('lets no forbidden character through, for any input', () => {
    fc.assert(
      fc.property(foreign, fc.boolean(), (text, unicode) => {
        const shown = safeText(text, unicode);
        expect([...shown].filter(isForbidden)).toEqual([]);
        if (!unicode) expect(shown).toMatch(/^[\x20-\x7e]*$/);
      }),
      { numRuns: 5_000 },
    );
  });

  it('does not change its own output', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const once = safeText(text);
        expect(safeText(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['plain text stays', 'plain text stays'],
    ['a\tb\r\nc', 'a b c'],
    ['\x1b]52;c;aGVsbG8=\x07after', 'after'],
    ['\x1b]0;title\x1b\\after', 'after'],
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x9b31mred', 'red'],
    ['\x1b\x1b[31m[31mx', '31mx'],
    ['abc\u202edef\u2069', 'abcdef'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
    ['日本語 ✓ naïve', '日本語 ✓ naïve'],
    ['👩‍👩‍👧', '👩👩👧'],
    ['a;b "c" \'d\' #{pid} $(x)', 'a;b "c" \'d\' #{pid} $(x)'],
    ['\x1b]52;c;never ended', ''],
  ])('%j becomes %j', (text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it('limits combining marks and the length of the text', () => {
    expect([...safeText(`a${'\u0301'.repeat(500)}b`)]).toHaveLength(5);
    expect(safeText('x'.repeat(1_000_000)).length).toBeLessThanOrEqual(4_096);
  });

  it('replaces each non-ASCII character by ? when unicode is off', () => {
    expect(safeText('日本 é ok', false)).toBe('?? ? ok');
  });

  it('takes linear time on text with many unfinished sequences', () => {
    const startMs = performance.now();
    for (const piece of ['\x1b]', '\x1b', '\x1b[', '\x1bP\x1b', '\x9d\x1b']) {
      safeText(piece.repeat(100_000));
    }
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});

describe('safeJson', () => {
  it('parses back to the value, and has no character that a terminal acts on', () => {
    fc.assert(
      fc.property(fc.dictionary(foreign, foreign), (value) => {
        const text = safeJson(value);
        expect([...text].filter(isForbidden)).toEqual([]);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 2_000 },
    );
  });
});
