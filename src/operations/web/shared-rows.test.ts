import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripSequences } from '../../text/ansi.ts';
import { sharedRows } from './shared-rows.ts';

const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
const plain = (rows: readonly string[]): readonly string[] => rows.map(stripSequences);

describe('the rows of a share', () => {
  it('keep their colours, and nothing else of what was printed', () => {
    const ansi = 'a \u001b[31mred\u001b[0m\u001b]52;c;aGk=\u0007\nb\u001b[2J\u0007\n\n';
    expect(sharedRows({ ansi, cols: 80 })).toEqual(['a \u001b[31mred\u001b[0m', 'b']);
  });

  it('hide a secret, and only in its own row', () => {
    const ansi = `one\n\u001b[32mexport KEY=${KEY} \u001b[1mand\nthree`;
    const rows = sharedRows({ ansi, cols: 80 });
    expect(plain(rows)).toEqual(['one', 'export KEY=[redacted] and', 'three']);
    // The row below has the colours that it had.
    expect(rows[1]?.endsWith('\u001b[32m\u001b[1m')).toBe(true);
  });

  it('hide a secret that colours cut into pieces', () => {
    const cut = [...KEY].map((each) => `\u001b[3${each.charCodeAt(0) % 8}m${each}`).join('');
    expect(plain(sharedRows({ ansi: `key: ${cut}`, cols: 80 })).join('')).not.toContain('abcdefg');
  });

  it.each([10, 20, 33, 79, 80])('hide a secret that goes over the edge of %i columns', (cols) => {
    const line = `${'x'.repeat(cols - 5)} ${KEY} end`;
    const rows = line.match(new RegExp(`.{1,${cols}}`, 'g')) ?? [];
    const shared = sharedRows({ ansi: ['above', ...rows, 'below'].join('\n'), cols });
    expect(shared).toHaveLength(rows.length + 2);
    expect(plain(shared).join('')).not.toMatch(/abcdefg|0123456789/);
    expect([shared[0], shared.at(-1)]).toEqual(['above', 'below']);
  });

  it('hide a private key, whose rows become one', () => {
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIEow',
      'IBAAKC',
      '-----END RSA PRIVATE KEY-----',
    ];
    const shared = plain(sharedRows({ ansi: ['a', ...key, 'b'].join('\n'), cols: 80 }));
    expect(shared).toEqual(['a', '[redacted]', 'b']);
  });

  it('are few and have no controls, whatever was printed', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;x',
        '\n',
        '\u009b',
        'password=',
        KEY,
        '-----BEGIN A-----',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 60 }),
        fc.integer({ min: 1, max: 90 }),
        (all, cols) => {
          const rows = sharedRows({ ansi: all.join(''), cols });
          const text = rows.join('\n');
          expect(stripSequences(text)).not.toMatch(/[^\P{Cc}\n]/u);
          expect(text).not.toContain(KEY);
        },
      ),
    );
    expect(sharedRows({ ansi: 'x\n'.repeat(10_000), cols: 80 }).length).toBe(500);
  });
});
