// An expected "no" is a value and never thrown: `Outcome` carries either the result or a refusal
// with a code of the table of problems.

import type { ProblemCode } from './problem.ts';

/** One pane that an ambiguous or mistyped reference may mean. */
export interface RefCandidate {
  /** What to type for this pane and no other. */
  readonly ref: string;
  readonly agent: string | null;
  readonly state: string;
  readonly title: string;
}

export interface Refusal {
  readonly code: ProblemCode;
  /** One sentence with the noun it is about. */
  readonly message: string;
  /** What to do here; absent: the hint in the table of problems. */
  readonly hint?: string;
  readonly candidates?: readonly RefCandidate[];
  /** The rule of a policy that says no. */
  readonly rule?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const refuse = (
  code: ProblemCode,
  message: string,
  help: Pick<Refusal, 'hint' | 'candidates' | 'rule'> = {},
): { ok: false; refusal: Refusal } => ({ ok: false, refusal: { code, message, ...help } });
