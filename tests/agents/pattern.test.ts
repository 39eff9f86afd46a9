// The check of patterns in rule files: a pattern that may be slow is refused with a reason, and an
// accepted one is quick on the worst texts we know.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charOf, overlaps, PLAIN_CASE } from '../../src/agents/screen/char-set.ts';
import { compilePattern, REGION_LENGTH_MAX } from '../../src/agents/screen/pattern.ts';

const refusals: readonly (readonly [string, RegExp])[] = [
  ['(a)\\1', /backreference/],
  ['(?<n>a)\\k<n>', /backreference/],
  ['(?<=a)b', /lookbehind/],
  ['(?<!a)b', /lookbehind/],
  ['a(?=b)', /lookahead/],
  ['(a+)+$', /quantifier inside/],
  ['(?:a*b)*', /quantifier inside/],
  ['(?:a?){20}a', /quantifier inside/],
  ['(a|a)*b', /overlapping/],
  ['(?:ab|ac)+x', /overlapping/],
  ['(?i)(?:a|A)+x', /overlapping/],
  ['\\s*\\s*x', /side by side/],
  ['.*.*x', /side by side/],
  ['\\s+(.*)x', /side by side/],
  ['\\w+(?:\\d*)x', /side by side/],
  ['a.*b.*c.*d', /backtrack/],
  [`${'a?'.repeat(40)}${'a'.repeat(40)}`, /backtrack/],
  [`${'(?:a|a)'.repeat(40)}b`, /backtrack/],
  [`${'(?:a|)'.repeat(24)}b`, /backtrack/],
  ['(?:[^\\p{L}]| )+x', /negated class/],
  ['(?:[^a\\P{L}]| )+x', /negated class/],
  ['(?i)(?:é|É)+x', /overlapping/],
  ['(?i)(?:k|\\u212a)+x', /overlapping/],
  ['(?i)(?:ß|ẞ)+x', /overlapping/],
  ['(?i)(?:\\w|ſ)+!', /overlapping/],
  ['(?i)(?:[^s]|ſ)+!', /overlapping/],
  ['(?:\\uD83D\\uDE00|😀)+x', /half a character/],
  ['\\u{dc00}', /half a character/],
  ['(?:[\\cA-9]| )+x', /control letter/],
  ['\\p{L}'.repeat(24), /too many/],
  ['(?:', /Unterminated group/],
  ['a)', /Unmatched/],
  ['[a', /Unterminated character class/],
  ['*a', /Nothing to repeat/],
  ['a{2', /Incomplete quantifier/],
  ['\\', /at end of pattern/],
  ['(?i:a)b', /changes flags/],
  ['x'.repeat(2000), /too long/],
  ['[b-a]', /^Range out of order/],
];

describe('a pattern', () => {
  it.each(refusals)('%s is refused', (source, reason) => {
    const compiled = compilePattern(source, 'line');
    expect(compiled).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });

  it.each([
    '^─{10,}',
    'esc to int',
    '^\\s*(?:(❯) +)?\\d{1,2}\\. +(\\S.*)$',
    'Do you want to [^?]{1,200}\\?',
    '(?i)yes|no',
    '(?i)\\s+\\w+ │ [a-z]+',
    '(?i)é+x',
    '^(?:a|)b',
    '\\P{L}+x',
    '^[·✢✳] \\S.{0,80}…(?: \\(|$)',
    '\\p{L}+ for \\d',
    'foo.*bar',
    '^.*a.*b',
    'a.{0,30}b.{0,30}c',
    '(?:f|o)+-.{0,40}x',
    `${'('.repeat(50)}${')'.repeat(50)}`,
    '[^\\]]+\\]',
    '\\u{1F600}\\x41\\u0042',
  ])('%s is accepted', (source) => {
    expect(compilePattern(source, 'line')).toMatchObject({ ok: true });
  });

  it('may have fewer gaps over a text than over a line', () => {
    expect(compilePattern('a.*b', 'text').ok).toBe(true);
    expect(compilePattern('a.{0,30}b.{0,30}c', 'line').ok).toBe(true);
    expect(compilePattern('a.*b.{0,30}c', 'text').ok).toBe(false);
  });

  it('that ignores case does so', () => {
    const compiled = compilePattern('(?i)esc to', 'line');
    expect(compiled.ok && compiled.regExp.test('ESC TO interrupt')).toBe(true);
  });
});

describe('characters of one case', () => {
  const isPlain = (text: string): boolean =>
    overlaps(PLAIN_CASE, charOf(text.codePointAt(0) as number)) && !/^[a-zKſ]$/iu.test(text);

  it('are the other case of no character', () => {
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const char = String.fromCodePoint(code);
      for (const other of [char.toLowerCase(), char.toUpperCase()]) {
        if (other === char || [...other].length > 1) continue;
        if (isPlain(char) || isPlain(other)) expect.fail(`${code.toString(16)} is ${other}`);
      }
    }
  });
});

// Pieces from which slow patterns are made, put together at random.
const piece = fc.constantFrom(
  ...['a', 'b', '.', '\\s', '\\w', '[ab]', '[^b]', '(?:a|b)', '(?:ab|b)', '^', '$', ' '],
  ...['(?:a|)', '(?:|b)', '(?:a||b)', '\\p{L}', '\\P{L}', '[^\\p{L}]', '[\\p{L} ]', '[^\\P{L}]'],
  ...['é', 'É', '(?:é|É)', 'k', '\\u212a', '(?:k|\\u212a)', 'ſ', '(?:s|ſ)', '(?:\\w|ſ)', '\\cA'],
  ...['[\\cA-9]', '\\u{1F600}', '\\uD83D\\uDE00', '😀', '(?:\\uD83D\\uDE00|😀)', '[^s]', '\\x41'],
);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{0,40}', '{2,}', '*?');
const part = fc.tuple(piece, quantifier).map((both) => both.join(''));
const sequence = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
const group = fc
  .tuple(fc.array(sequence, { minLength: 1, maxLength: 3 }), quantifier)
  .map(([branches, count]) => `(?:${branches.join('|')})${count}`);
// One part many times over: what doubles at each is slow only then.
const many = fc
  .tuple(fc.oneof(part, group), fc.constantFrom(1, 1, 1, 24))
  .map(([text, count]) => text.repeat(count));
const anyPattern = fc
  .tuple(fc.constantFrom('', '', '(?i)'), fc.array(many, { minLength: 1, maxLength: 6 }))
  .map(([flag, parts]) => `${flag}${parts.join('')}`);

const SLOW_MS = 4000;
const units = ['a', 'b', ' ', 'ab', 'a b', 'aab', 'é', 'k', '\u212a', 'sſ', '😀', 'A', '\u0001'];
const textOf = (unit: string, length: number): string =>
  `${unit.repeat(length).slice(0, length - 1)}!`;
// Growing, so that a pattern which doubles with each character fails here and does not hang.
const texts = [
  ...[12, 16, 20, 24, 26, 28].flatMap((length) => units.map((unit) => textOf(unit, length))),
  ...['a', 'ab', 'é ', 'k'].map((unit) => textOf(unit, REGION_LENGTH_MAX)),
];

/** Milliseconds of the slowest text, ending with the first that is too slow. */
function slowestOf(regExp: RegExp, limitMs: number): number {
  let slowest = 0;
  for (const text of texts) {
    const start = performance.now();
    regExp.test(text);
    slowest = Math.max(slowest, performance.now() - start);
    if (slowest > limitMs) break;
  }
  return slowest;
}

describe('any pattern', () => {
  it('is refused, or quick on long texts of the characters that it matches', () => {
    fc.assert(
      fc.property(anyPattern, (source) => {
        const compiled = compilePattern(source, 'text');
        if (!compiled.ok) return;
        expect(slowestOf(compiled.regExp, SLOW_MS), source).toBeLessThan(SLOW_MS);
      }),
      { numRuns: 1000, endOnFailure: true },
    );
  }, 60_000);

  it('that is slow would be found so by these texts', () => {
    for (const source of ['(?:a|a)+x', '(?:é|É)+x', '(?:k|\u212a)+x']) {
      expect(compilePattern(`(?i)${source}`, 'text').ok, source).toBe(false);
      expect(slowestOf(new RegExp(source, 'iu'), 50), source).toBeGreaterThan(50);
    }
  }, 60_000);

  it('of random characters is refused or compiled, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'binary' }), (source) => {
        expect(typeof compilePattern(source, 'line').ok).toBe('boolean');
      }),
      { numRuns: 2000 },
    );
  });
});
