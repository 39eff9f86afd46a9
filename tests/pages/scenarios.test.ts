// docs/agentmux-scenarios.md is true: each scenario has its row, and the tests that it names exist.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { scenarioCounts, scenarioProblems, scenarioRows } from './scenario-rows.ts';

const head = '| id | what it asks | tests | what differs |\n|---|---|---|---|';
const good = `${head}
| A1 | one thing | \`tests/a.test.ts\` "first"; "second"; \`tests/b.test.ts\` "third" | |
| B1 | another | | dropped: nobody wants it |`;
const sources: Readonly<Record<string, string>> = {
  'tests/a.test.ts': "it('first', () => {}); it(`second`, () => {});",
  'tests/b.test.ts': 'test("third", () => {});',
};
const problemsOf = (page: string): readonly string[] =>
  scenarioProblems(page, { A: 1, B: 1 }, (file) => sources[file] ?? null);

describe('the table of scenarios', () => {
  it('is read with the tests of each row', () => {
    expect(scenarioRows(good)[0]?.tests).toEqual([
      { file: 'tests/a.test.ts', title: 'first' },
      { file: 'tests/a.test.ts', title: 'second' },
      { file: 'tests/b.test.ts', title: 'third' },
    ]);
    expect(problemsOf(good)).toEqual([]);
  });

  it.each([
    ['a missing row', good.replace('| A1 |', '| A-1 |'), 'A1 has no row'],
    ['a row twice', `${good}\n| B1 | again | | dropped: twice |`, 'B1 has two rows'],
    ['a row of no scenario', `${good}\n| C1 | new | | dropped: new |`, 'C1 is no scenario'],
    ['an empty text', good.replace('one thing', ''), 'A1 does not say what it asks'],
    ['no test', good.replace('dropped: ', ''), 'B1 has no test and is not dropped'],
    [
      'a file that is gone',
      good.replace('tests/b.test.ts', 'tests/c.test.ts'),
      'A1 names tests/c.test.ts, which does not exist',
    ],
    [
      'a title that is only a part of another one',
      good.replace('"second"', '"secon"'),
      'A1: tests/a.test.ts has no test "secon"',
    ],
  ])('fails on %s', (_name, page, problem) => {
    expect(problemsOf(page)).toEqual([problem]);
  });

  it('is true in this repository', () => {
    const page = readFileSync(join(root, 'docs', 'agentmux-scenarios.md'), 'utf8');
    const sourceOf = (file: string): string | null =>
      existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;
    expect(scenarioProblems(page, scenarioCounts, sourceOf)).toEqual([]);
  });
});
