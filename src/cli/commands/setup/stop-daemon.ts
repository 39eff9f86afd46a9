// Stops the daemon and waits for its exit: for `daemon stop`, `daemon reset` and `uninstall`. One
// that hangs gets SIGTERM, and after a while SIGKILL: its database takes a crash.

import { isTimeout } from '../../../client/daemon-error.ts';
import { isProcessAlive } from '../../../platform/process/process-alive.ts';
import type { Call } from '../../command.ts';
import { findDaemon, pathsOf, socketPathOf } from '../../daemon-link.ts';
import { daemonHangs, lockedPid } from '../../state-folder.ts';

/** The daemon kills itself after 5 s; longer means that it hangs. */
const STOP_TIMEOUT_MS = 10_000;
const TERM_TIMEOUT_MS = 6_000;
const KILL_TIMEOUT_MS = 5_000;
const STOP_POLL_MS = 20;

/** Stops the daemon and waits until it has exited. Returns its pid; null when none was running. */
export async function stopDaemon(call: Call): Promise<number | null> {
  const pid = await askToStop(call);
  if (pid === null || (pid !== 'hangs' && (await hasExited(pid, STOP_TIMEOUT_MS)))) return pid;
  return endHung(call);
}

/** The pid of the daemon that was asked. */
async function askToStop(call: Call): Promise<number | 'hangs' | null> {
  try {
    const client = await findDaemon(call);
    if (client === null) return null;
    try {
      const { pid } = await client.call('hello', { client: 'cli' });
      // It may close the connection before it replies.
      await client.call('daemon_stop', { reason: 'requested by the user' }).catch(() => null);
      return pid;
    } finally {
      client.close();
    }
  } catch (error) {
    if (isTimeout(error)) return 'hangs';
    throw error;
  }
}

/** Only the process that holds the lock of our socket: another one may have its pid by now. */
async function endHung(call: Call): Promise<number> {
  const heldBy = () => lockedPid(pathsOf(call).stateDir, socketPathOf(call));
  const pid = await heldBy();
  if (pid === null) throw daemonHangs(pid);
  for (const [signal, timeoutMs] of [
    ['SIGTERM', TERM_TIMEOUT_MS],
    ['SIGKILL', KILL_TIMEOUT_MS],
  ] as const) {
    if ((await heldBy()) !== pid) return pid;
    process.kill(pid, signal);
    if (await hasExited(pid, timeoutMs)) return pid;
  }
  throw daemonHangs(pid);
}

async function hasExited(pid: number, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (isProcessAlive(pid)) {
    if (performance.now() > deadlineMs) return false;
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
  }
  return true;
}
