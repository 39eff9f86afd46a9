// The commands of one call by a `tmux` process, with the replies that a control connection would
// give. Far slower (3 ms): for the first contact with a server, and where nothing may be attached.

import { Fault } from '../../platform/fault.ts';
import { runProgram } from '../../platform/process/launch.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';
import { type Host, localHost } from '../host.ts';
import { serverArguments } from '../invocation.ts';
import { markCommands } from './command-replies.ts';

/** The longest that a timer takes. */
const NEVER_MS = 2 ** 31 - 1;
/** The same bound as for a reply in control mode. */
const STDOUT_BYTES_MAX = 32_000_000;

// What the client says when there is no server to ask; all else on stderr is an answer.
const noServer = /^(?:no server running|error connecting|lost server|server exited|\[lost)/;

export interface PlainRunOptions {
  /** Null waits as long as the connection lives. */
  readonly deadlineMs: number | null;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the commands in one process. Never starts a server. Throws a Fault like ControlClient. */
export async function runByProcess(
  { socketPath, host = localHost }: { readonly socketPath: string; readonly host?: Host },
  commands: readonly (readonly string[])[],
  { deadlineMs, signal }: PlainRunOptions,
): Promise<readonly Reply[]> {
  const { args: marked, replies } = markCommands(commands);
  const args = [...serverArguments(socketPath), ...marked];
  const { launch, release } = await host.open('command', args);
  const limits = { timeoutMs: deadlineMs ?? NEVER_MS, stdoutBytesMax: STDOUT_BYTES_MAX, signal };
  const ran = await runProgram(launch, limits);
  const { stdout, stderr, timedOut, overflowed, code, error, wasReady } = ran;
  release(stderr);
  const about = { about: socketPath };
  if (signal?.aborted) throw new Fault('tmux_gone', { ...about, detail: 'it was cancelled' });
  if (timedOut) throw new Fault('timeout', { ...about, detail: `no answer in ${deadlineMs} ms` });
  if (overflowed) throw new Fault('protocol_desync', { ...about, detail: 'reply too long' });
  // Over ssh it may not have come as far as tmux.
  if (!wasReady || code === null || noServer.test(stderr)) {
    throw new Fault('tmux_gone', { ...about, detail: (error ?? stderr).trim() });
  }
  return replies({ stdout, stderr, code });
}
