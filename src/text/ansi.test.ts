import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepStyles, plainStyle, readAnsiLine, stripSequences } from './ansi.ts';

const read = (line: string) =>
  readAnsiLine(line, plainStyle).texts.map(({ text, style }) => {
    const set = Object.entries(style).filter(([, value]) => value !== false && value !== '');
    return [text, Object.fromEntries(set)];
  });

describe('readAnsiLine', () => {
  it.each([
    [
      '\x1b[1;31mred\x1b[0m plain',
      [
        ['red', { bold: true, foreground: '31' }],
        [' plain', {}],
      ],
    ],
    [
      '\x1b[7ma\x1b[mb',
      [
        ['a', { inverse: true }],
        ['b', {}],
      ],
    ],
    ['\x1b[38;5;208;48;2;1;2;3ma', [['a', { foreground: '38;5;208', background: '48;2;1;2;3' }]]],
    ['\x1b[38:2::1:2:3ma', [['a', { foreground: '38:2::1:2:3' }]]],
    ['\x1b[58;5;1;3ma', [['a', { italic: true }]]],
    [
      '\x1b[4:3ma\x1b[4:0mb',
      [
        ['a', { underline: true }],
        ['b', {}],
      ],
    ],
    [
      '\x1b[1;2ma\x1b[22mb',
      [
        ['a', { bold: true, dim: true }],
        ['b', {}],
      ],
    ],
    [
      '\x1b[97ma\x1b[39mb',
      [
        ['a', { foreground: '97' }],
        ['b', {}],
      ],
    ],
    ['\x1b[38;5;9999ma', [['a', {}]]],
    [
      '\x1b[>4;1ma\x1b[?25lb',
      [
        ['a', {}],
        ['b', {}],
      ],
    ],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x07', [['link', {}]]],
    [
      'a\x1b(0b\x1b',
      [
        ['a', {}],
        ['b', {}],
      ],
    ],
  ])('splits %j into texts with their styles', (line, texts) => {
    expect(read(line)).toEqual(texts);
  });

  it('returns the style at the end of the line, for the next line', () => {
    const { style } = readAnsiLine('\x1b[2mdim', plainStyle);
    expect(readAnsiLine('more', style).texts).toEqual([{ text: 'more', style }]);
    expect(style).toEqual({ ...plainStyle, dim: true });
  });

  it('finds the same text as stripSequences, whatever the line holds', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('\x1b', '\x1b[', '\x1b]', '1;', 'm', '\x07'),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const line = parts.join('');
        const { texts } = readAnsiLine(line, plainStyle);
        expect(texts.map(({ text }) => text).join('')).toBe(stripSequences(line));
        expect(stripSequences(line)).not.toContain('\x1b');
      }),
    );
  });
});

describe('keepStyles', () => {
  it('drops controls and every sequence but SGR', () => {
    expect(keepStyles('\x1b[2J\x1b[1ma\x1b]0;t\x07b\x0e\x9b\x1b[0m\x1b[>4;1m')).toBe(
      '\x1b[1mab\x1b[0m',
    );
  });
});
