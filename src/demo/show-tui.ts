// Shows the demo on the terminal: the TUI runs in its own process, with the demo's environment, and
// restores the terminal itself when it is told to end.

import { Fault } from '../platform/fault.ts';
import { startInTerminal } from '../platform/process/terminal-child.ts';
import type { DemoStage } from './run-demo.ts';

/** How long the TUI may take to restore the terminal; after that the exit script kills it. */
const END_MS = 3_000;

/** Resolves with the exit code when the user quits or the signal ends it. */
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
  const timeout = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => {
      child.kill('SIGTERM');
      setTimeout(() => resolve(null), END_MS).unref();
    });
  });
  const exit = await Promise.race([child.exited, timeout]);
  if (exit?.error) throw new Fault('E_DEMO_FAILED', { about: 'the TUI', detail: exit.error });
  return exit?.code ?? 0;
}
