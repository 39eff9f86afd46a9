// The commands of one call by a client that is not in control mode: over tmux's own socket where it
// is on this machine, else by a process.

import type { Reply } from '../../tmux-wire/control-parser.ts';
import { type Host, localHost } from '../host.ts';
import { type PlainRunOptions, runByProcess } from './process-run.ts';
import { canRunBySocket, runBySocket } from './socket-run.ts';

/** How plain commands reach a host: each costs 0.2 ms of tmux, or a process. */
export type PlainTransport = 'socket' | 'process';

export function plainTransport(host: Host): PlainTransport {
  return canRunBySocket && host === localHost ? 'socket' : 'process';
}

/** Runs the commands with nothing in between. Throws a Fault like ControlClient. */
export async function runPlain(
  { socketPath, host }: { readonly socketPath: string; readonly host: Host },
  commands: readonly (readonly string[])[],
  options: PlainRunOptions,
): Promise<readonly Reply[]> {
  if (plainTransport(host) === 'socket') {
    const replies = await runBySocket(socketPath, commands, options);
    if (replies !== null) return replies;
  }
  return runByProcess({ socketPath, host }, commands, options);
}
