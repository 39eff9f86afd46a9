// Runs this program again in a PID namespace of its own: process ids are counted for it alone, and
// whatever it started ends with it. Needs root; without it the program simply goes on here.

import { spawn, spawnSync } from 'node:child_process';

const MARK = 'AGTMUX_BENCH_INSIDE';
const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];

export const isInside: boolean = process.env[MARK] === '1';

/** True when another run took over and has ended; its exit code is ours then. */
export async function ranInside(): Promise<boolean> {
  if (isInside) return false;
  if (spawnSync('unshare', [...namespace, 'true']).status !== 0) return false;
  const args = [...namespace, process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, [MARK]: '1' };
  const child = spawn('unshare', args, { stdio: 'inherit', env });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // Ending unshare ends everything inside, by --kill-child; its own end leaves time to clean up.
  for (const signal of signals) process.on(signal, () => child.kill('SIGTERM'));
  process.exitCode = await new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
  });
  return true;
}
