// Shows the demo on the terminal: the TUI in a process of its own, which has the demo's environment
// and gives the terminal back by itself when it is asked to end.

import { Fault } from '../platform/fault.ts';
import { startInTerminal } from '../platform/process/terminal-child.ts';
import type { DemoStage } from './run-demo.ts';

/** Long enough to give a terminal back; then it is the exit script that ends it. */
const END_MS = 3_000;

/** Resolves with its exit code when it ended, by the person's wish or by the signal. */
export async function showTui(
  { env, socketPath }: DemoStage,
  [command = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (signal.aborted) return 0;
  const child = startInTerminal({
    command,
    args: [...args, 'tui', '--socket-path', socketPath],
    env: { ...env },
  });
  const asked = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => {
      child.kill('SIGTERM');
      setTimeout(() => resolve(null), END_MS).unref();
    });
  });
  const exit = await Promise.race([child.exited, asked]);
  if (exit?.error) throw new Fault('E_DEMO_FAILED', { about: 'the TUI', detail: exit.error });
  return exit?.code ?? 0;
}
