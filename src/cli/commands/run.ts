// `agtmux run -- CMD...`: runs any program in our place and tells the daemon that it started and
// how it ended. It prints nothing, and ends as the program ends. What it tells goes by the emitter,
// which needs no daemon.

import { constants } from 'node:os';
import { basename } from 'node:path';
import { runChild } from '../../platform/process/recipe.ts';
import { runWrapped, type WrappedExit } from '../../platform/process/wrapped-child.ts';
import { safeText } from '../../render/safe-text.ts';
import { type Call, textOf } from '../command.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { packageFile } from '../package-files.ts';

/** As shells have it: a program that is not there, and one that may not be run. */
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_RUN = 126;
/** The emitter itself waits for nobody longer than 2 s. */
const EMIT_MS = 3_000;

/** Signals that leave a core file: dying by them once more would leave a second one, of ours. */
const dumping: ReadonlySet<string> = new Set([
  ...['SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGSYS'],
  ...['SIGXCPU', 'SIGXFSZ'],
]);

export async function runProgram(call: Call): Promise<number> {
  const [command = '', ...args] = call.args;
  const name = textOf(call.flags, 'name');
  const agent = textOf(call.flags, 'agent');
  checkAgent(agent);
  process.title = titleOf(basename(command), { agent, name });
  const startedMs = performance.now();
  const called = { program: basename(command), ...(name === undefined ? {} : { name }) };
  let pid = 0;
  let told: Promise<unknown> = Promise.resolve();
  const tell = (event: string, facts: object): Promise<unknown> =>
    emit(event, agent, { pid, ...called, ...facts });
  const exit = await runWrapped({ command, args }, (started) => {
    pid = started;
    told = tell('start', {});
  });
  if (exit.errorCode !== null) return notStarted(call, command, exit);
  // In this order: a program that ends at once has started before.
  await told;
  const lastedMs = Math.ceil(performance.now() - startedMs);
  await tell('exit', { code: exit.code, signal: exit.signal, lasted_ms: lastedMs });
  return endAs(exit);
}

/**
 * tmux calls a window after the first word of what runs in it, which is to be the program and not
 * Node. The rest tells the daemon who we are (agents/identify/wrapped.ts).
 */
function titleOf(
  program: string,
  { agent, name }: { readonly agent: string | undefined; readonly name: string | undefined },
): string {
  const word = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-');
  const named = name === undefined ? [] : ['--name', word(name)];
  const kind = agent === undefined ? [] : ['--agent', agent];
  return [word(program), 'agtmux', 'run', ...kind, ...named, '--'].join(' ');
}

function checkAgent(agent: string | undefined): void {
  if (agent === undefined || /^[a-z][a-z0-9_.-]{0,63}$/.test(agent)) return;
  throw new CliProblem(
    'E_INPUT_INVALID',
    '--agent is a name of small letters, digits, "_", "." and "-", and begins with a letter.',
    { exitCode: EXIT_USAGE, hint: 'See agtmux run --help.' },
  );
}

/** Hands one event to the spool and wakes the daemon. Nothing that fails here is the program's. */
async function emit(event: string, agent: string | undefined, facts: object): Promise<void> {
  const named = agent === undefined ? [] : ['--agent', agent];
  await runChild({
    command: '/bin/sh',
    args: [
      packageFile('emitter/agtmux-emit'),
      ...['--source', 'wrapper', '--event', event, ...named],
      JSON.stringify(facts),
    ],
    timeoutMs: EMIT_MS,
    stdoutBytesMax: 1,
  });
}

function notStarted({ io }: Call, command: string, { error, errorCode }: WrappedExit): number {
  const isMissing = errorCode === 'ENOENT';
  const why = isMissing ? 'there is no such program' : error;
  io.writeErr(`E_INPUT_INVALID: ${safeText(`${command}: ${why}`)}\n`);
  return isMissing ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/** Our end is that of the program: its status, or its signal. */
function endAs({ code, signal }: WrappedExit): number {
  if (signal === null) return code ?? 0;
  if (!dumping.has(signal)) process.kill(process.pid, signal);
  return 128 + constants.signals[signal];
}
