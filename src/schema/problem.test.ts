// The one table of problems: stable codes, and numbers that shells and wires can carry.

import { describe, expect, test } from 'vitest';
import { problemOf, problems } from './problem.ts';

const codes: readonly string[] = problems.map(({ code }) => code);

test('every code is unique', () => {
  expect(new Set(codes).size).toBe(codes.length);
});

describe('a code that clients rely on is in the table', () => {
  test.each([
    // Why evidence is not applied.
    ...['invalid_source_event', 'missing_event_time', 'source_inadmissible', 'late_event'],
    ...['source_rank_suppressed', 'binding_conflict', 'signature_inconclusive'],
    'signature_guard_rejected',
    // What is wrong with a third-party source.
    ...['invalid_cursor', 'ack_timeout', 'ack_retry_exhausted', 'unknown_delivery_token'],
    ...['peer_uid_mismatch', 'source_registry_miss', 'runtime_nonce_mismatch'],
    ...['source_not_active', 'source_revoked', 'binding_cas_conflict', 'rewind_window_exceeded'],
    'slo_breach',
    // Why an operation or an action is refused.
    ...['E_REF_INVALID', 'E_REF_NOT_FOUND', 'E_REF_AMBIGUOUS', 'E_RUNTIME_STALE'],
    ...['E_PRECONDITION_FAILED', 'E_SNAPSHOT_EXPIRED', 'E_TARGET_UNREACHABLE'],
    ...['E_IDEMPOTENCY_CONFLICT', 'E_NOT_PERMITTED'],
  ])('%s', (code) => {
    expect(codes).toContain(code);
  });
});

describe.each(problems.map((problem) => [problem.code, problem] as const))(
  '%s',
  (code, problem) => {
    test('has an exit code that a shell can see', () => {
      expect(Number.isInteger(problem.exitCode)).toBe(true);
      expect(problem.exitCode).toBeGreaterThanOrEqual(1);
      expect(problem.exitCode).toBeLessThanOrEqual(255);
    });

    test('has a status of failure and a code that JSON-RPC allows', () => {
      expect(problem.httpStatus).toBeGreaterThanOrEqual(400);
      expect(problem.httpStatus).toBeLessThan(600);
      const isReserved = problem.rpcCode >= -32768 && problem.rpcCode < -32099;
      const ours = [-32700, -32600, -32601, -32602, -32603];
      expect(isReserved && !ours.includes(problem.rpcCode)).toBe(false);
      expect(problem.rpcCode).toBeLessThan(0);
    });

    test('says in sentences what is wrong and what to do', () => {
      expect(problem.sentence).toMatch(/^\S.* .*\.$/);
      expect(problem.hint).toMatch(/^\S.* .*\.$/);
    });

    test('is found by its code', () => {
      expect(problemOf(code)).toBe(problem);
    });
  },
);

test('a code is E_ with capitals, or all lower case', () => {
  for (const code of codes) expect(code).toMatch(/^(E_[A-Z_]+|[a-z_]+)$/);
});

test('a code that is not in the table is a bug', () => {
  expect(() => problemOf('nonsense' as never)).toThrow(/nonsense/);
});
