import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellQuote, shellQuoteAll } from './shell-quote.ts';

const nasty = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    '\\',
    '$',
    '`',
    '!',
    '\n',
    '\r',
    ' ',
    '-',
    ';',
    '*',
    'a',
    'é',
    '😀',
  ),
});
const text = fc
  .oneof(nasty, fc.string({ unit: 'grapheme' }))
  .filter((word) => !word.includes('\0'));

/** What a real shell makes of the words; each ends with a NUL. */
function readBack(shell: readonly string[], words: readonly string[]): readonly string[] {
  const [command = '', ...args] = shell;
  // `printf` would print once without any word.
  const script = `set -- ${shellQuoteAll(words)}\n[ $# -eq 0 ] || printf '%s\\000' "$@"\n`;
  const output = execFileSync(command, args, { input: script, encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

describe('shellQuote', () => {
  const shells = ['/bin/sh -', '/bin/bash --posix', '/bin/busybox sh'];
  it.each(shells.filter((shell) => existsSync(shell.split(' ')[0] ?? '')))(
    'makes words that %s reads back byte for byte',
    (shell) => {
      const check = (words: readonly string[]): void => {
        // One start of a shell for each example is slow, so an example is many words.
        const valid = words.map((word) => Buffer.from(word, 'utf8').toString('utf8'));
        expect(readBack(shell.split(' '), valid)).toEqual(valid);
      };
      fc.assert(fc.property(fc.array(text, { maxLength: 40 }), check), { numRuns: 40 });
    },
  );

  it('makes exactly one word', () => {
    expect(shellQuote('')).toBe("''");
    expect(shellQuote("it's")).toBe("'it'\\''s'");
    expect(shellQuoteAll(['a b', '$(x)'])).toBe("'a b' '$(x)'");
  });

  it('refuses a NUL', () => {
    expect(() => shellQuote('a\0b')).toThrow('NUL');
  });
});
