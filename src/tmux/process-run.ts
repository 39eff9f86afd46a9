// The commands of one call by a `tmux` process, with the replies that a control connection would
// give. Far slower (3 ms): for the first contact with a server, and where nothing may be attached.

import { randomBytes } from 'node:crypto';
import { Fault } from '../platform/fault.ts';
import { runProgram } from '../platform/process/launch.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import { type Host, localHost } from './host.ts';
import { serverArguments } from './invocation.ts';

/** The same bound as for a reply in control mode. */
const STDOUT_BYTES_MAX = 32_000_000;

// What the client says when there is no server to ask; all else on stderr is an answer.
const noServer = /^(?:no server running|error connecting|lost server|server exited|\[lost)/;

/** Runs the commands in one process. Never starts a server. Throws a Fault like ControlClient. */
export async function runByProcess(
  { socketPath, host = localHost }: { readonly socketPath: string; readonly host?: Host },
  commands: readonly (readonly string[])[],
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal },
): Promise<readonly Reply[]> {
  const mark = randomBytes(12).toString('hex');
  const marked = commands.flatMap((command) => [
    ...command.map(argument),
    ...[';', 'display-message', '-p', mark, ';'],
  ]);
  const args = [...serverArguments(socketPath), ...marked.slice(0, -1)];
  const { launch, release } = await host.open('command', args);
  const limits = { timeoutMs: deadlineMs, stdoutBytesMax: STDOUT_BYTES_MAX, signal };
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
  const answers = stdout.split(`${mark}\n`).slice(0, -1);
  const replies = answers.map((text, index) => replyOf(text, { ok: true, number: index }));
  return code === 0
    ? replies
    : [...replies, replyOf(stderr, { ok: false, number: answers.length })];
}

/** A `;` at the end of an argument would end the command; tmux reads `\;` as the character. */
function argument(text: string): string {
  return text.endsWith(';') ? `${text.slice(0, -1)}\\;` : text;
}

function replyOf(text: string, { ok, number }: { ok: boolean; number: number }): Reply {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  return { kind: 'reply', ok, number, flags: 1, lines };
}
