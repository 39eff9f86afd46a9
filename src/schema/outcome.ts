// An expected "no" is a value and never thrown: `Outcome` carries either the result or a refusal
// with a code of the table of problems.

import type { ProblemCode } from './problem.ts';

export interface Refusal {
  readonly code: ProblemCode;
  /** One sentence with the noun it is about. */
  readonly message: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const refuse = (code: ProblemCode, message: string): { ok: false; refusal: Refusal } => ({
  ok: false,
  refusal: { code, message },
});
