import { expect, it } from 'vitest';
import { problems } from '../schema/problem.ts';
import { exitCodeOf } from './exit-codes.ts';

it.each(problems.map(({ code, rpcCode, exitCode }) => [code, rpcCode, exitCode] as const))(
  '%s ends the process with the exit code of the table of problems',
  (_code, rpcCode, exitCode) => {
    expect(exitCodeOf(rpcCode)).toBe(exitCode);
  },
);
