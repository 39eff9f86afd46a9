// Signals in pane output: any cut, both terminators and the C1 one, wrappers, bounds.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OSC_LENGTH_MAX, oscScanner, type Signal } from './osc-scanner.ts';

const ESC = '\u001b';
const BEL = '\u0007';
const ST = `${ESC}\\`;
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const scan = (...chunks: readonly string[]): Signal[] => {
  const scanner = oscScanner();
  return chunks.flatMap((chunk) => scanner.feed(bytesOf(chunk)));
};
const state = { kind: 'osc', number: 3008, text: 'state=running' } as const;

describe('the scanner', () => {
  test.each([
    ['ended by BEL', `${ESC}]3008;state=running${BEL}`],
    ['ended by ST', `${ESC}]3008;state=running${ST}`],
    ['ended by the C1 character', `${ESC}]3008;state=running\u009c`],
    ['ended by another sequence, as tmux reads it', `${ESC}]3008;state=running${ESC}[0m`],
    ['between text', `before ${ESC}[1mbold${ESC}[0m${ESC}]3008;state=running${ST} after`],
    [
      'in a wrapper for the outer terminal',
      `${ESC}Ptmux;${ESC}${ESC}]3008;state=running${BEL}${ST}`,
    ],
    [
      'in a wrapper with its own ST doubled',
      `${ESC}Ptmux;${ESC}${ESC}]3008;state=running${ESC}${ESC}\\${ST}`,
    ],
    [
      'after a sequence that was given up',
      `${ESC}]3008;state=lost\u0018${ESC}]3008;state=running${ST}`,
    ],
  ])('a signal %s', (_name, output) => {
    expect(scan(output)).toEqual([state]);
  });

  test.each([
    ['inside a DCS that is no wrapper', `${ESC}P1$r;${ESC}${ESC}]3008;state=running${BEL}${ST}`],
    ['inside an APC', `${ESC}_x]3008;state=running${BEL}${ST}`],
    ['with another number', `${ESC}]30080;state=running${ST}${ESC}]8;;http://x${ST}`],
    ['without a number', `${ESC}];state=running${ST}${ESC}]${ST}`],
    ['that never ends', `${ESC}]3008;state=running`],
    ['that is the end of a character set', `${ESC}(]3008;state=running`],
  ])('no signal %s', (_name, output) => {
    expect(scan(output)).toEqual([]);
  });

  test('a character that holds the byte 0x9c does not end a signal', () => {
    const text = 'state=running:msg=✜ ✳ œ';
    expect(scan(`${ESC}]7501;${text}${ST}`)).toEqual([{ kind: 'osc', number: 7501, text }]);
    const stray = oscScanner().feed(`${ESC}]3008;state=running\u009c`);
    expect(stray).toEqual([state]);
  });

  test('the BEL that ends a title is no bell', () => {
    const output = `${ESC}]0;✳ one${BEL}${ESC}]2;two${ST}${BEL}${ESC}]1;icon${BEL}`;
    expect(scan(output).map(({ kind }) => kind)).toEqual(['title', 'title', 'bell']);
    expect(scan(`${ESC}Ptmux;${ESC}${ESC}]0;outer${BEL}${BEL}${ST}`)).toEqual([]);
  });

  test('a signal that is too long is reported as such, and the next one is read', () => {
    const long = `${ESC}]3008;${'x'.repeat(OSC_LENGTH_MAX + 1)}${ST}`;
    expect(scan(long, `${ESC}]3008;state=running${ST}`)).toEqual([{ kind: 'overlong' }, state]);
    const fits = `${ESC}]3008;${'x'.repeat(OSC_LENGTH_MAX)}${ST}`;
    expect(scan(fits)[0]?.kind).toBe('osc');
  });
});

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(ESC, BEL, ST, `${ESC}]`, '3008;state=running', '7501;', `${ESC}Ptmux;`, '\u009c'),
  fc.constantFrom(`${ESC}${ESC}]3008;state=idle${BEL}`, `${ESC}]0;t`, '\u0018', `${ESC}_`, '✳'),
);
const output = fc.array(piece, { maxLength: 40 }).map((pieces) => bytesOf(pieces.join('')));

test('signals are the same however the output is cut, and no bytes throw', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(9), { minLength: 1 }), (bytes, cuts) => {
      const whole = oscScanner().feed(bytes);
      const scanner = oscScanner();
      const parts: Signal[] = [];
      for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
        const length = 1 + (cuts[turn % cuts.length] ?? 0);
        parts.push(...scanner.feed(bytes.slice(from, from + length)));
        from += length;
      }
      expect(parts).toEqual(whole);
    }),
    { numRuns: 1_000 },
  );
});
