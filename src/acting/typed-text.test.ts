import { describe, expect, it } from 'vitest';
import { holdsText, searchableFragment, showsText } from './typed-text.ts';

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

it('a fragment that tmux looks for holds letters, digits and blanks alone', () => {
  expect(searchableFragment(['#{pane_id}; rm *', 'say hello world!'])).toBe('say hello world');
  expect(searchableFragment(['🚀', '??'])).toBe(null);
});

it('a prompt above the box is recognised by its start or its end', () => {
  expect(showsText(['❯ run the tests again', '', '● Done.'], 'run the tests again')).toBe(true);
  expect(showsText(['● Done.'], 'run the tests again')).toBe(false);
});
