// The pattern checker: what a rule file may not use is refused by name, and what it accepts is
// quick on the worst text we know.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compilePattern,
  LINE_LENGTH_MAX,
  TEXT_LENGTH_MAX,
} from '../../src/agents/screen/pattern.ts';

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
  ['(?:', /unclosed/],
  ['a)', /unmatched/],
  ['[a', /unclosed/],
  ['*a', /nothing to apply/],
  ['a{2', /no count/],
  ['\\', /at the end/],
  [`${'('.repeat(50)}${')'.repeat(50)}`, /too deep/],
  ['x'.repeat(2000), /too long/],
  ['[b-a]', /./],
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
    '^[·✢✳] \\S.{0,80}…(?: \\(|$)',
    '\\p{L}+ for \\d',
    'foo.*bar',
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

// Pieces from which slow patterns are made, put together at random.
const piece = fc.constantFrom(
  ...['a', 'b', '.', '\\s', '\\w', '[ab]', '[^b]', '(?:a|b)', '(?:ab|b)', '^', '$', ' '],
);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{0,40}', '{2,}', '*?');
const part = fc.tuple(piece, quantifier).map((both) => both.join(''));
const group = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), quantifier)
  .map(([parts, count]) => `(?:${parts.join('')})${count}`);
const anyPattern = fc
  .array(fc.oneof(part, group), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));

describe('any pattern', () => {
  it('is refused, or quick on long texts of the characters that it matches', () => {
    const texts = ['a', 'b', ' ', 'ab', 'a b', 'aab'].flatMap((unit) =>
      ['', '!'].map((end) => `${unit.repeat(TEXT_LENGTH_MAX).slice(0, TEXT_LENGTH_MAX - 1)}${end}`),
    );
    fc.assert(
      fc.property(anyPattern, (source) => {
        const compiled = compilePattern(source, 'text');
        if (!compiled.ok) return;
        for (const text of texts) {
          const start = performance.now();
          compiled.regExp.test(text);
          expect(performance.now() - start, source).toBeLessThan(1000);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('of random characters is refused or compiled, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'binary' }), (source) => {
        expect(typeof compilePattern(source, 'line').ok).toBe('boolean');
      }),
      { numRuns: 2000 },
    );
  });

  it('is quick on a line of the greatest length', () => {
    const compiled = compilePattern('foo.*bar', 'line');
    const start = performance.now();
    if (compiled.ok) compiled.regExp.test('foo'.repeat(LINE_LENGTH_MAX));
    expect(performance.now() - start).toBeLessThan(200);
  });
});
