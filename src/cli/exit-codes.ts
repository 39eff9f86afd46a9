// Exit codes, by the JSON-RPC code of a problem. A test compares them with schema/problem.ts, which
// is not loaded here.

import type { RefCandidate } from '../schema/outcome.ts';

/** Something was typed, and nothing proves what came of it. */
export const EXIT_UNCONFIRMED = 2;
/** EX_USAGE of sysexits: the command line itself is wrong. */
export const EXIT_USAGE = 64;
/** EX_NOINPUT of sysexits: a file that was named does not exist or cannot be read. */
export const EXIT_NO_INPUT = 66;
export const EXIT_UNAVAILABLE = 69;
/** EX_CANTCREAT of sysexits. */
export const EXIT_CANNOT_CREATE = 73;
/** Nothing was done: a guard refused, or the person did not say yes. */
export const EXIT_REFUSED = 75;
export const EXIT_CONFIG = 78;
/** `status` and `daemon status`: no daemon answers. The code that init scripts use. */
export const EXIT_NOT_RUNNING = 3;
/** `status`, `list`: the daemon answers, and something is degraded. */
export const EXIT_DEGRADED = 1;
/** 128 plus the number of the signal, as in shells. */
export const EXIT_INTERRUPTED = 130;
export const EXIT_HUNG_UP = 129;
export const EXIT_TERMINATED = 143;

const byRpcCode: Readonly<Record<number, number>> = {
  '-32602': 64,
  '-32001': 66,
  '-32002': EXIT_REFUSED,
  '-32003': 77,
  '-32004': EXIT_CONFIG,
  '-32010': 69,
  '-32011': 65,
  '-32012': 73,
  '-32020': 65,
  '-32021': 69,
  '-32603': 70,
};

/** The exit code of a problem; EXIT_UNAVAILABLE for an unknown one. */
export const exitCodeOf = (rpcCode: number): number => byRpcCode[rpcCode] ?? EXIT_UNAVAILABLE;

/** Ctrl-C at a question: the command ends without a word. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** A problem as it is printed: output/print-problem.ts. */
export interface ShownProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: number;
  /** The panes that a reference may mean. */
  readonly candidates: readonly RefCandidate[];
}

/** A refusal of the command line itself: printed as `CODE: message`, then its hint. */
export class CliProblem extends Error {
  override readonly name = 'CliProblem';
  readonly code: string;
  readonly exitCode: number;
  readonly hint: string | null;

  constructor(
    code: string,
    message: string,
    { exitCode, hint }: { exitCode: number; hint?: string | undefined },
  ) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint ?? null;
  }
}

/** The command line itself is wrong. */
export const usageProblem = (message: string, hint?: string): CliProblem =>
  new CliProblem('E_INPUT_INVALID', message, { exitCode: EXIT_USAGE, hint });
