import { describe, expect, it } from 'vitest';
import { countShown, holdsText } from './typed-text.ts';

const noMark = { pasteMark: null };
const box = (lines: string[], toBottom = lines) => ({ lines, toBottom });

describe('an input box holds a text', () => {
  it('that is wrapped and indented', () => {
    expect(holdsText(box(['fix the fai', 'ling test']), 'fix the failing test', noMark)).toBe(true);
  });

  it('whose rows below the first one are known only as the rest of the screen', () => {
    const draft = box(['one'], ['one', 'two', '', 'three', 'model · folder']);
    expect(holdsText(draft, 'one\ntwo\n\nthree', noMark)).toBe(true);
    expect(holdsText(draft, 'one\ntwo\n\nfour', noMark)).toBe(false);
  });

  it('of which a low box shows the end', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);
    const draft = box(['line 45'], [...lines.slice(45), 'footer']);
    expect(holdsText(draft, lines.join('\n'), noMark)).toBe(true);
    expect(holdsText(draft, `${lines.join('\n')}\nmore of it, and then some`, noMark)).toBe(false);
  });

  it('by the mark of a long paste with the right size', () => {
    const mark = { pasteMark: /\[Pasted text #\d+ \+(?<lines>\d+) lines\]/u };
    const draft = box(['[Pasted text #3 +4 lines]']);
    expect(holdsText(draft, 'a\nb\nc\nd\ne', mark)).toBe(true);
    expect(holdsText(draft, 'a\nb\nc', mark)).toBe(true);
    expect(holdsText(draft, 'a\nb', mark)).toBe(false);
  });

  it('never when it is empty or holds something else', () => {
    expect(holdsText(box([]), 'yes', noMark)).toBe(false);
    expect(holdsText(box(['no']), 'yes', noMark)).toBe(false);
    expect(holdsText(box(['my draft yes']), 'yes', noMark)).toBe(false);
  });
});

describe('a prompt above the box', () => {
  it('is recognised by its start or its end', () => {
    const text = 'run the tests again';
    expect(countShown(['❯ run the tests again', '', '● Done.'], text)).toBe(1);
    expect(countShown(['● Done.'], text)).toBe(0);
  });

  it('of a few letters is a line, not a part of one', () => {
    expect(countShown(['● yes, it may', '> y', '❯ y'], 'y')).toBe(2);
  });
});
