// Stops the daemon and waits for its exit: for `daemon stop`, `daemon reset` and `uninstall`.

import { isProcessAlive } from '../../../platform/process/process-alive.ts';
import type { Call } from '../../command.ts';
import { findDaemon, socketPathOf } from '../../daemon-link.ts';
import { CliProblem, EXIT_UNAVAILABLE } from '../../exit-codes.ts';

/** The daemon kills itself after 5 s; longer means that it hangs. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 20;

/** Stops the daemon and waits until it has exited. Returns its pid; null when none was running. */
export async function stopDaemon(call: Call): Promise<number | null> {
  const client = await findDaemon(call);
  const { pid } = client === null ? { pid: null } : await client.call('hello', { client: 'cli' });
  // It may close the connection before it replies.
  await client?.call('daemon_stop', { reason: 'requested by the user' }).catch(() => null);
  client?.close();
  if (pid !== null) await waitForExit(call, pid);
  return pid;
}

async function waitForExit(call: Call, pid: number): Promise<void> {
  const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
  while (isProcessAlive(pid)) {
    if (performance.now() > deadlineMs) {
      throw new CliProblem('timeout', `the daemon (pid ${pid}) does not stop.`, {
        exitCode: EXIT_UNAVAILABLE,
        hint: `Read its log, or run kill ${pid}; its socket is ${socketPathOf(call)}.`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
  }
}
