// Fault: the world misbehaves (a full disk, a damaged file, a silent host). Shells throw it, the
// supervisor of that part catches it and turns it into health. Our own bugs are never a Fault.

import { type ProblemCode, problemOf } from '../schema/problem.ts';

export interface FaultDetail {
  /** The noun: which file, which target, which pane. */
  readonly about: string;
  /** What was found, where the sentence of the code does not say enough. */
  readonly detail?: string;
  readonly cause?: unknown;
}

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ProblemCode;
  readonly about: string;

  constructor(code: ProblemCode, { about, detail, cause }: FaultDetail) {
    const { sentence } = problemOf(code);
    super(`${about}: ${sentence}${detail === undefined ? '' : ` (${detail})`}`, { cause });
    this.code = code;
    this.about = about;
  }
}
