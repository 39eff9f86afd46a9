import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { parseStatus, promiseCounts, statusProblems } from '../scripts/status.ts';

const counts = { 1: { D: 1, S: 1 } };

const page = (...rows: readonly string[]): string =>
  ['# Status', '| id | what | status | test | figure |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );

const good = page(
  '| 1.D1 | a thing \\| and more | done | `tests/a.test.ts`, `tests/b.test.ts` | 3 s |',
  '| 1.S1 | a figure | not | | |',
);

const problemsOf = (text: string): readonly string[] =>
  statusProblems(text, counts, (path) => path.startsWith('tests/'));

describe('the status page', () => {
  it('is read row by row, with all its tests', () => {
    expect(parseStatus(good)).toEqual([
      {
        line: 4,
        id: '1.D1',
        what: 'a thing \\| and more',
        status: 'done',
        tests: ['tests/a.test.ts', 'tests/b.test.ts'],
      },
      { line: 5, id: '1.S1', what: 'a figure', status: 'not', tests: [] },
    ]);
  });

  it('passes when every promise has one true row', () => {
    expect(problemsOf(good)).toEqual([]);
  });

  it.each([
    ['a missing row', page('| 1.D1 | x | not | | |'), '1.S1 has no row'],
    ['a doubled row', `${good}\n| 1.D1 | x | not | | |`, 'line 6: 1.D1 has a row already'],
    [
      'a row nobody asked for',
      `${good}\n| 9.D1 | x | not | | |`,
      'line 6: 9.D1 was never promised',
    ],
    [
      'an unknown status',
      good.replace('| not |', '| nearly |'),
      'line 5: 1.S1 has the unknown status "nearly"',
    ],
    ['an empty text', good.replace('a figure', ''), 'line 5: 1.S1 does not say what it is'],
    ['done by no test', good.replace('| not |', '| done |'), 'line 5: 1.S1 is done by no test'],
    [
      'a test that does not exist',
      good.replace('`tests/b.test.ts`', '`elsewhere/b.test.ts`'),
      'line 4: 1.D1 names elsewhere/b.test.ts, which does not exist',
    ],
  ])('fails on %s', (_name, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it('is true in this repository', () => {
    const text = readFileSync(join(root, 'docs', 'status.md'), 'utf8');
    expect(statusProblems(text, promiseCounts, (path) => existsSync(join(root, path)))).toEqual([]);
  });
});
