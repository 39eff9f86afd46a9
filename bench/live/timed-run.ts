// Runs one short program without blocking, and returns the times of its start and its end.

import { spawn } from 'node:child_process';
import { monoMs } from './clock.ts';

export interface TimedRun {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Runs a program to its end; fails when it fails. */
export function timedRun(
  command: string,
  args: readonly string[],
  { env, input = '' }: { readonly env: NodeJS.ProcessEnv; readonly input?: string },
): Promise<TimedRun> {
  return new Promise((resolve, reject) => {
    const startedMs = monoMs();
    const child = spawn(command, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve({ startedMs, endedMs: monoMs() });
      else reject(new Error(`${command} ended with ${code}`));
    });
    // A program that reads nothing may exit before its input is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
