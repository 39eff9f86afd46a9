import { expect, it } from 'vitest';
import { sameRows } from './same-rows.ts';

const patternOf = (line: string) => sameRows([line], [0]).rows[0]?.pattern;

it('a row is a pattern that fits itself, whatever signs it has', () => {
  const signs = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');
  for (const line of [signs, '❯ 1. Yes', '日本語 👩‍💻 🇩🇪 é', '│ ─── │', '  \u200b x']) {
    expect(new RegExp(patternOf(line) ?? '(?!)', 'u').test(line)).toBe(true);
  }
});

it('nothing of a row ends the format that it stands in, or begins another', () => {
  expect(patternOf('#{pane_id},} %H \\ ]')).toBe('^..pane_id... .H . .$');
});

it('another letter, number or mark is another row', () => {
  const other = (line: string, changed: string) =>
    new RegExp(patternOf(line) ?? '', 'u').test(changed);
  expect(other(' ❯ 1. Yes', '   1. Yes')).toBe(false);
  expect(other('rm -rf /tmp/a', 'rm -rf /tmp/b')).toBe(false);
  expect(other('rm 日本', 'rm 中国')).toBe(false);
  expect(other('1. Yes', '1. Yes, and more')).toBe(false);
});

it('a row that another one above looks like cannot be told from it', () => {
  const screen = ['❯ again', 'Done', '❯ again'];
  expect(sameRows(screen, [2])).toEqual({ rows: [], isComplete: false });
  expect(sameRows(screen, [0, 1])).toMatchObject({ isComplete: true });
});

it('of very many rows the lowest are taken, and the rest is said to be missing', () => {
  const screen = Array.from({ length: 200 }, (_, at) => `${'x'.repeat(100)} ${at}`);
  const { rows, isComplete } = sameRows(
    screen,
    screen.map((_, at) => at),
  );
  expect(isComplete).toBe(false);
  expect(rows[0]?.row).toBe(200);
  expect(rows.map(({ pattern }) => pattern).join('').length).toBeLessThan(6_000);
});

it('blank rows hold nothing back', () => {
  expect(sameRows(['', '  '], [0, 1, 7])).toEqual({ rows: [], isComplete: true });
});
