// What a client rejects with: the daemon's refusal, or the failure of the connection to it. Codes
// are those of docs/reference/errors.md.

import type { RefCandidate } from '../schema/outcome.ts';

export interface DaemonProblem {
  readonly code: string;
  readonly rpcCode: number;
  readonly message: string;
  readonly hint?: string | null;
  readonly candidates?: readonly RefCandidate[];
  readonly rule?: string | null;
}

export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code: string;
  readonly rpcCode: number;
  readonly hint: string | null;
  /** The panes that an ambiguous or mistyped reference may mean. */
  readonly candidates: readonly RefCandidate[];
  /** The rule of a policy that says no. */
  readonly rule: string | null;

  constructor({ code, rpcCode, message, hint, candidates, rule }: DaemonProblem) {
    super(message);
    this.code = code;
    this.rpcCode = rpcCode;
    this.hint = hint ?? null;
    this.candidates = candidates ?? [];
    this.rule = rule ?? null;
  }

  /** By name: each command is a bundle with its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'DaemonError';
  }
}

const passing: readonly string[] = ['E_DAEMON_DOWN', 'timeout', 'protocol_desync'];

/** Whether a retry may help: a daemon that restarts is back soon. A refusal is final. */
export const isPassing = (error: unknown): boolean =>
  error instanceof DaemonError && passing.includes(error.code);

/** The daemon did not answer in time: it is slow, or it hangs. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DaemonError && error.code === 'timeout';

const UNAVAILABLE = -32010;

/** No daemon answers on the socket, or it is gone. */
export function daemonDown(message: string): DaemonError {
  const hint = 'Start it with agtmux daemon start.';
  return new DaemonError({ code: 'E_DAEMON_DOWN', rpcCode: UNAVAILABLE, message, hint });
}

/** A daemon answers too late, or breaks the protocol. */
export function daemonFault(code: 'timeout' | 'protocol_desync', message: string): DaemonError {
  const hint =
    code === 'timeout'
      ? 'Look at agtmux daemon status. If it hangs, agtmux daemon stop ends it.'
      : 'Look at agtmux daemon status.';
  return new DaemonError({ code, rpcCode: UNAVAILABLE, message, hint });
}
