// The one table of everything that can go wrong, sorted by who must act. docs/reference/errors.md
// is generated from it. The rows are in problems/.

import { otherProblems } from './problems/faults.ts';
import type { ProblemShape } from './problems/problem-row.ts';
import { refusals } from './problems/refusals.ts';

export const problems = [...refusals, ...otherProblems] as const satisfies readonly ProblemShape[];

export type Problem = (typeof problems)[number];
export type ProblemCode = Problem['code'];

const byCode: ReadonlyMap<string, Problem> = new Map(problems.map((each) => [each.code, each]));

/** The row of a code. */
export function problemOf(code: ProblemCode): Problem {
  const found = byCode.get(code);
  if (!found) throw new Error(`no problem has the code ${code}`);
  return found;
}
