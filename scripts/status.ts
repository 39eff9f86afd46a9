// Checks docs/status.md: one row for each promise of each part, and no row is `done` without a test
// file that exists. With --check it fails on any problem; without, it prints counts.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './script-entry.ts';

// How many things each part delivers (D) and must show (S). A new part adds a line here.
export const promiseCounts: Readonly<Record<string, { readonly D: number; readonly S: number }>> = {
  1: { D: 5, S: 4 },
  2: { D: 5, S: 3 },
  3: { D: 6, S: 7 },
  4: { D: 6, S: 3 },
  5: { D: 9, S: 4 },
  G: { D: 7, S: 2 },
  T: { D: 10, S: 3 },
  H: { D: 8, S: 2 },
  6: { D: 6, S: 4 },
  '6b': { D: 4, S: 2 },
  7: { D: 4, S: 3 },
  '7b': { D: 4, S: 2 },
  8: { D: 4, S: 3 },
  9: { D: 5, S: 4 },
  10: { D: 3, S: 4 },
};

const statuses = ['done', 'partial', 'not'];

export type StatusRow = {
  readonly line: number;
  readonly id: string;
  readonly what: string;
  readonly status: string;
  readonly tests: readonly string[];
};

const isRow = /^\|\s*\w+\.[DS]\d+\s*\|/;

function parseRow(text: string, line: number): StatusRow {
  // A bar that is escaped belongs to the text of its cell.
  const [, id = '', what = '', status = '', tests = ''] = text
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
  return {
    line,
    id,
    what,
    status,
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  };
}

// Returns the rows of all tables whose first cell is an id such as 1.D1.
export function parseStatus(text: string): readonly StatusRow[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => isRow.test(line))
    .map(({ line, index }) => parseRow(line, index + 1));
}

function listPromiseIds(counts: typeof promiseCounts): readonly string[] {
  const range = (part: string, kind: 'D' | 'S', count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${part}.${kind}${index + 1}`);
  return Object.entries(counts).flatMap(([part, { D, S }]) => [
    ...range(part, 'D', D),
    ...range(part, 'S', S),
  ]);
}

function rowProblems(row: StatusRow, fileExists: (path: string) => boolean): readonly string[] {
  const at = `line ${row.line}: ${row.id}`;
  const problems: string[] = [];
  if (!statuses.includes(row.status)) problems.push(`${at} has the unknown status "${row.status}"`);
  if (row.what === '') problems.push(`${at} does not say what it is`);
  if (row.status === 'done' && row.tests.length === 0) problems.push(`${at} is done by no test`);
  for (const path of row.tests) {
    if (!fileExists(path)) problems.push(`${at} names ${path}, which does not exist`);
  }
  return problems;
}

// Returns one sentence for each problem.
export function statusProblems(
  text: string,
  counts: typeof promiseCounts,
  fileExists: (path: string) => boolean,
): readonly string[] {
  const rows = parseStatus(text);
  const ids = rows.map(({ id }) => id);
  const wanted = listPromiseIds(counts);
  return [
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `${id} has no row`),
    ...rows
      .filter(({ id }, index) => ids.indexOf(id) !== index)
      .map(({ id, line }) => `line ${line}: ${id} has a row already`),
    ...rows
      .filter(({ id }) => !wanted.includes(id))
      .map(({ id, line }) => `line ${line}: ${id} was never promised`),
    ...rows.flatMap((row) => rowProblems(row, fileExists)),
  ];
}

function main(): number {
  const text = readFileSync(join(root, 'docs', 'status.md'), 'utf8');
  const problems = statusProblems(text, promiseCounts, (path) => existsSync(join(root, path)));
  for (const problem of problems) process.stderr.write(`docs/status.md: ${problem}\n`);
  const rows = parseStatus(text);
  const counts = statuses.map((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return `${count} ${status}`;
  });
  process.stderr.write(`docs/status.md: ${counts.join(', ')}\n`);
  return process.argv.includes('--check') && problems.length > 0 ? 1 : 0;
}

if (isMain(import.meta.url)) process.exitCode = main();
