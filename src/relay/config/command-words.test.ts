import { describe, expect, it } from 'vitest';
import { commandWords } from './command-words.ts';

describe('a command line that no shell reads', () => {
  it.each([
    ['opencode acp', ['opencode', 'acp']],
    ['  gemini \t --acp ', ['gemini', '--acp']],
    [`'/opt/my agent/bin' "--name=a b"`, ['/opt/my agent/bin', '--name=a b']],
    [`--x='1 2'"3 4"5 6`, ['--x=1 23 45', '6']],
    [`say "it's" '"'`, ['say', `it's`, '"']],
    [`a ''`, ['a', '']],
    ['echo $HOME;id >x | `y` \\n', ['echo', '$HOME;id', '>x', '|', '`y`', '\\n']],
  ])('%s has its words', (line, words) => {
    expect(commandWords(line)).toEqual({ ok: true, words });
  });

  it.each([
    ['   ', 'names no program'],
    [`'' x`, 'names no program'],
    [`a 'b c`, 'has a quote that does not end'],
    [`a b"c`, 'has a quote that does not end'],
    ['a\0b', 'holds a NUL'],
  ])('%j is refused: %s', (line, problem) => {
    expect(commandWords(line)).toEqual({ ok: false, problem });
  });
});
