// Which lines of captures count as new.

import { describe, expect, it } from 'vitest';
import { followLines, type SeenLines, takeLines } from './new-lines.ts';

const COUNT = 50;
type Lines = readonly string[];
const onScreen = (lines: Lines): SeenLines => ({ lines, scrolled: 0 });
const follow = (first: Lines) => followLines(onScreen(first), COUNT);

/** What is printed for each capture after the first. */
function printed(first: SeenLines, ...captures: readonly SeenLines[]): readonly Lines[] {
  let state = followLines(first, COUNT);
  return captures.map((capture) => {
    const taken = takeLines(state, capture);
    state = taken.state;
    return taken.lines;
  });
}
const printedOnScreen = (first: Lines, ...captures: readonly Lines[]) =>
  printed(onScreen(first), ...captures.map(onScreen));

describe('takeLines', () => {
  it('gives a line once, as soon as two captures have it', () => {
    const box = ['────', '❯ '];
    const next = ['a', 'b', ...box];
    expect(printedOnScreen(['a', ...box], next, next, next)).toEqual([[], ['b'], []]);
  });

  it('gives lines in their order while the screen scrolls', () => {
    const screens = [
      ['b', 'c', 'd'],
      ['c', 'd', 'e'],
      ['d', 'e', 'f'],
    ];
    expect(printedOnScreen(['a', 'b'], ...screens)).toEqual([[], ['c', 'd'], ['e']]);
  });

  it('gives what went past above a box that stays', () => {
    const box = ['────', '❯ '];
    const many = { lines: ['a', 'b', 'c', 'd', 'e', 'f', ...box], scrolled: 5 };
    expect(printed(onScreen(['a', ...box]), many, many).flat()).toEqual(['b', 'c', 'd', 'e', 'f']);
  });

  it('gives nothing of a screen that was cleared and drawn again', () => {
    const screen = ['a', 'b', '❯ '];
    const twice = { lines: [...screen, ...screen], scrolled: 3 };
    const next = { lines: [...screen, ...screen, 'a', 'b', 'c', '❯ '], scrolled: 6 };
    expect(printed(onScreen(screen), twice, twice, next, next).flat()).toEqual(['c']);
  });

  it('never gives a line that is drawn anew each time', () => {
    const at = (seconds: number) => ['done', `working (${seconds}s)`, '❯ '];
    expect(printedOnScreen(at(1), at(2), at(3), at(4)).flat()).toEqual([]);
  });

  it('gives a line that is written letter by letter when it is whole', () => {
    const lines = ['he', 'hell', 'hello', 'hello'].map((line) => ['a', line]);
    expect(printedOnScreen(['a'], ...lines)).toEqual([[], [], [], ['hello']]);
  });

  it('gives all that is left of the last capture', () => {
    const { state } = takeLines(follow(['a']), onScreen(['a', 'b']));
    const last = takeLines(state, onScreen(['a', 'b', 'c']), { isLast: true });
    expect(last.lines).toEqual(['b', 'c']);
  });

  it('says when so many came that some may be left out', () => {
    const many = (name: string) => Array.from({ length: COUNT }, (_, at) => name + at);
    const first = takeLines(follow(many('a')), onScreen(many('b')));
    expect(first).toMatchObject({ isGap: false, lines: [] });
    const second = takeLines(first.state, onScreen(many('b')));
    expect(second).toMatchObject({ isGap: true, lines: many('b') });
    const few = takeLines(follow(['a']), onScreen(['x']), { isLast: true });
    expect(few).toMatchObject({ isGap: false, lines: ['x'] });
  });
});
