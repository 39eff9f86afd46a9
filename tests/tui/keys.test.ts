// Bytes of a terminal into keys: whole sequences, halves of them, and anything else.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, readKeys } from '../../src/tui/keys.ts';

const words = (keys: readonly Key[]): readonly string[] =>
  keys.map((key) => (key.kind === 'named' ? key.name : key.kind === 'text' ? key.text : key.kind));

describe('keys', () => {
  it.each([
    ['\x1b[A\x1b[B\x1bOA\x1b[1;5C', ['up', 'down', 'up', 'right']],
    ['\x1b[5~\x1b[6~\x1b[H\x1b[4~', ['page-up', 'page-down', 'home', 'end']],
    ['jk/日本', ['jk/日本']],
    ['\r\n\t\x7f\x08', ['enter', 'enter', 'tab', 'backspace', 'backspace']],
    ['\x03\x0c\x1a', ['ctrl-c', 'ctrl-l', 'ctrl-z']],
    ['\x1bx\x1b[99zq', ['escape', 'x', 'q']],
    ['\x1b\x1b[A', ['escape', 'up']],
    ['\x1b[200~a\x1b[Bq\x1b[201~j', ['paste', 'j']],
    ['\x1b[<64;1;1M\x1b[<0;3;4M\x1b[<0;3;4m', ['wheel-up', 'click']],
  ])('of %j are %j', (typed, expected) => {
    expect(words(readKeys(typed).keys)).toEqual(expected);
  });

  it('wait for the rest of a sequence, and take an escape for itself when nothing follows', () => {
    expect(readKeys('\x1b')).toEqual({ keys: [], rest: '\x1b' });
    expect(words(readKeys('\x1b', true).keys)).toEqual(['escape']);
    expect(readKeys('a\x1b[1;').rest).toBe('\x1b[1;');
    expect(readKeys('\x1b[200~half').rest).toBe('\x1b[200~half');
  });

  it('are the same however the bytes are cut, and never throw', () => {
    const part = fc.oneof(
      fc.constantFrom('\x1b[A', '\x1b', '\x1b[', '\x1bO', '\x1b[200~', '\x1b[201~', '\x1b[<0;1;1M'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(part), fc.nat(), (parts, seed) => {
        const typed = parts.join('');
        const whole = readKeys(typed);
        // The decoder never cuts within a character.
        const characters = [...typed];
        const at = typed === '' ? 0 : seed % characters.length;
        const first = readKeys(characters.slice(0, at).join(''));
        const second = readKeys(first.rest + characters.slice(at).join(''));
        const joined = (keys: readonly Key[]) => words(keys).join('');
        expect(joined([...first.keys, ...second.keys])).toBe(joined(whole.keys));
        expect(second.rest).toBe(whole.rest);
        expect(readKeys(typed, true).rest).toBe('');
      }),
    );
  });
});
