// `agtmux daemon start|stop|status|run`: the life of the daemon, as seen from outside. What it does
// is src/daemon/, which loads only for `run`.

import type { DaemonClient } from '../../client/client.ts';
import { isProcessAlive } from '../../platform/process/process-alive.ts';
import { renderDaemon } from '../../render/health.ts';
import { type Call, isSet, listOf, numberOf, textOf } from '../command.ts';
import { findDaemon, openDaemon, socketPathOf } from '../daemon-link.ts';
import { CliProblem, EXIT_UNAVAILABLE } from '../exit-codes.ts';
import { printJson } from '../print.ts';
import { viewOfCall } from '../view-of-call.ts';
import { tellAbsent } from './status.ts';

/** The daemon ends itself hard after 5 s; longer means that it hangs. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 20;

export async function runDaemonCommand(call: Call): Promise<number> {
  switch (call.path[1]) {
    case 'start':
      return showDaemon(call, await openDaemon(call, daemonArgs(call)));
    case 'stop':
      return stopDaemon(call);
    case 'run':
      return runHere(call);
    default: {
      const client = await findDaemon(call);
      return client === null ? tellAbsent(call) : showDaemon(call, client);
    }
  }
}

async function showDaemon(call: Call, client: DaemonClient): Promise<number> {
  try {
    const info = await client.call('daemon_info', {});
    if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, running: true, ...info });
    else call.io.writeOut(renderDaemon(viewOfCall(call, Date.now()), info));
    return 0;
  } finally {
    client.close();
  }
}

async function runHere(call: Call): Promise<number> {
  const { runDaemon } = await import('../../daemon/main.ts');
  const pollIntervalMs = numberOf(call.flags, 'poll-interval');
  const logLevel = textOf(call.flags, 'log-level');
  return runDaemon({
    socketPath: socketPathOf(call),
    tmuxSockets: listOf(call.flags, 'tmux-socket'),
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
    ...(logLevel === undefined ? {} : { logLevel }),
  });
}

/** The options of `daemon start`, as `daemon run` takes them. */
function daemonArgs({ flags }: Call): readonly string[] {
  const pollIntervalMs = numberOf(flags, 'poll-interval');
  const logLevel = textOf(flags, 'log-level');
  return [
    ...listOf(flags, 'tmux-socket').map((path) => `--tmux-socket=${path}`),
    ...(pollIntervalMs === undefined ? [] : [`--poll-interval=${pollIntervalMs}ms`]),
    ...(logLevel === undefined ? [] : [`--log-level=${logLevel}`]),
  ];
}

async function stopDaemon(call: Call): Promise<number> {
  const pid = await endDaemon(call);
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, running: false, pid });
  else call.io.writeOut(pid === null ? 'No daemon was running.\n' : `Stopped (pid ${pid}).\n`);
  return 0;
}

/** Ends the daemon and waits until it is gone; null when none was there. */
export async function endDaemon(call: Call): Promise<number | null> {
  const client = await findDaemon(call);
  const { pid } = client === null ? { pid: null } : await client.call('hello', { client: 'cli' });
  // It may hang up before it answers: that is a way to obey.
  await client?.call('daemon_stop', { reason: 'asked by the user' }).catch(() => null);
  client?.close();
  if (pid !== null) await waitUntilGone(call, pid);
  return pid;
}

async function waitUntilGone(call: Call, pid: number): Promise<void> {
  const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
  while (isProcessAlive(pid)) {
    if (performance.now() > deadlineMs) {
      throw new CliProblem('timeout', `the daemon (pid ${pid}) was asked to end and goes on.`, {
        exitCode: EXIT_UNAVAILABLE,
        hint: `Look at its log, or end it with kill ${pid}; its socket is ${socketPathOf(call)}.`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
  }
}
