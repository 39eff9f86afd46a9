// The walks of ARCHITECTURE.md: every file is there, and each step leads to the next by an import,
// unless its mark says how else.

import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { importsOf } from '../scripts/source-text.ts';

interface Step {
  readonly number: number;
  /** How it is reached where the file before it neither imports it nor is imported by it. */
  readonly mark: string | null;
  readonly file: string;
}

type Tree = (file: string) => string | null;

const stepLine = /^(\d+)\. (?:\[(from \d+|callback|process)\] )?`([^`]+)`: /;

/** The steps of each walk, by its heading. */
function walksIn(page: string): ReadonlyMap<string, readonly Step[]> {
  const walks = new Map<string, Step[]>();
  let steps: Step[] | null = null;
  for (const line of page.split('\n')) {
    if (line.startsWith('#')) steps = null;
    if (line.startsWith('### The walk of ')) {
      steps = [];
      walks.set(line.slice('### '.length), steps);
    }
    const [, number, mark = null, file] = stepLine.exec(line) ?? [];
    if (file !== undefined) steps?.push({ number: Number(number), mark, file });
    else if (steps && /^\d/.test(line)) throw new Error(`not a step of a walk: ${line}`);
  }
  return walks;
}

function imports(from: string, to: string, read: Tree): boolean {
  return importsOf(read(from) ?? '').some(
    ({ specifier }) => posix.join(posix.dirname(from), specifier) === to,
  );
}

/** What is wrong with a walk; empty where nothing is. */
function problemsOf(steps: readonly Step[], read: Tree): readonly string[] {
  return steps.flatMap(({ number, mark, file }, index) => {
    if (number !== index + 1) return [`${file}: step ${number} is number ${index + 1}`];
    if (read(file) === null) return [`${file}: there is no such file`];
    if (index === 0 || mark === 'callback' || mark === 'process') return [];
    const from = mark === null ? steps[index - 1] : steps[Number(mark.slice('from '.length)) - 1];
    if (from === undefined || from.number >= number) return [`${file}: ${mark} is no step before`];
    const isLinked = imports(from.file, file, read) || imports(file, from.file, read);
    return isLinked ? [] : [`${file}: no import links it with ${from.file}`];
  });
}

const readTree: Tree = (file) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;

describe('the walks of ARCHITECTURE.md', () => {
  const walks = walksIn(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

  it('are those of a hook event, a screen change, a listing and a prompt', () => {
    expect([...walks.keys()]).toEqual([
      'The walk of a hook event',
      'The walk of a screen change',
      'The walk of `agtmux list panes`',
      'The walk of a prompt',
    ]);
  });

  it.each([...walks])('%s leads from file to file', (_, steps) => {
    expect(steps.length).toBeGreaterThan(5);
    expect(problemsOf(steps, readTree)).toEqual([]);
  });
});

describe('a walk', () => {
  const tree: Tree = (file) =>
    ({
      'a.ts': "import { b } from './b.ts';",
      'b.ts': '',
      'c.ts': "import type { A } from './a.ts';",
    })[file] ?? null;
  const problems = (...lines: readonly string[]): readonly string[] => {
    const [steps = []] = walksIn(['### The walk of x', ...lines].join('\n')).values();
    return problemsOf(steps, tree);
  };

  it('is right where each file imports its neighbour, is imported by it, or is marked', () => {
    expect(problems('1. `c.ts`: x', '2. `a.ts`: x', '3. `b.ts`: x')).toEqual([]);
    expect(problems('1. `a.ts`: x', '2. `b.ts`: x', '3. [from 1] `c.ts`: x')).toEqual([]);
    expect(problems('1. `b.ts`: x', '2. [callback] `c.ts`: x')).toEqual([]);
    expect(problems('1. `b.ts`: x', '2. [process] `c.ts`: x')).toEqual([]);
  });

  it.each([
    ['names a file that is not there', ['1. `a.ts`: x', '2. `d.ts`: x']],
    ['goes from a file to one that it has no import of', ['1. `b.ts`: x', '2. `c.ts`: x']],
    ['goes on from a later step', ['1. `a.ts`: x', '2. [from 3] `b.ts`: x', '3. `a.ts`: x']],
    ['leaves out a number', ['1. `a.ts`: x', '3. `b.ts`: x']],
  ])('is wrong where it %s', (_, lines) => {
    expect(problems(...lines)).toHaveLength(1);
  });

  it('is wrong where a line of it cannot be read', () => {
    expect(() => problems('1. `a.ts`: x', '2. `b.ts` and more')).toThrow('not a step');
  });
});
