// What one row of the table of problems holds, and the families with their codes.

/**
 * refusal: an expected "no", a value. fault: the environment fails; supervised and retried.
 * evidence: why one piece of evidence was not applied; shown in the ledger.
 * defect: our own bug; the process exits and restarts from the store.
 */
export type ProblemFamily = 'refusal' | 'fault' | 'evidence' | 'defect';

export interface ProblemShape {
  readonly code: string;
  readonly family: ProblemFamily;
  readonly rpcCode: number;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly sentence: string;
  readonly hint: string;
}

const row =
  (family: ProblemFamily, rpcCode: number, httpStatus: number, exitCode: number) =>
  <Code extends string>(code: Code, sentence: string, hint: string) => ({
    code,
    family,
    rpcCode,
    httpStatus,
    exitCode,
    sentence,
    hint,
  });

// Exit codes follow sysexits where one fits: 64 usage, 65 data, 69 unavailable, 70 software,
// 73 cannot create, 75 try again, 77 not permitted, 78 configuration.
export const problemRows = {
  usage: row('refusal', -32602, 400, 64),
  notFound: row('refusal', -32001, 404, 66),
  conflict: row('refusal', -32002, 409, 75),
  denied: row('refusal', -32003, 403, 77),
  misconfigured: row('refusal', -32004, 400, 78),
  unavailable: row('fault', -32010, 503, 69),
  badData: row('fault', -32011, 500, 65),
  cannotWrite: row('fault', -32012, 507, 73),
  notApplied: row('evidence', -32020, 422, 65),
  sourceProblem: row('evidence', -32021, 409, 69),
  defect: row('defect', -32603, 500, 70),
} as const;
