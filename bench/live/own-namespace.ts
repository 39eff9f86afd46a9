// Runs this program again in its own PID namespace, where process ids count only its own processes
// and all of them end with it. Needs root; without root the program runs here.

import { spawn, spawnSync } from 'node:child_process';

const MARK = 'AGTMUX_BENCH_INSIDE';
const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];

export const isInside: boolean = process.env[MARK] === '1';

/** True when the run inside the namespace has ended; its exit code becomes ours. */
export async function ranInNamespace(): Promise<boolean> {
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
