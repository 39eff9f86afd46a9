// `agtmux run -- CMD...`: runs any program and reports to the daemon that it started and how it
// ended. It prints nothing, and ends as the program ends. Its reports go through the emitter, which
// needs no daemon.

import { constants } from 'node:os';
import { basename } from 'node:path';
import { packageFile } from '../../../platform/package-files.ts';
import { runChild } from '../../../platform/process/launch.ts';
import { runWrapped, type WrappedExit } from '../../../platform/process/wrapped-child.ts';
import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, textOf } from '../../command.ts';
import { usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';

/** The codes of shells for a program that does not exist, and for one that cannot be executed. */
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_RUN = 126;
/** The emitter itself waits at most 2 s. */
const EMIT_MS = 3_000;

/** Signals that write a core file: if we died by one too, there would be a second core file. */
const coreDumpSignals: ReadonlySet<string> = new Set([
  ...['SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGSYS'],
  ...['SIGXCPU', 'SIGXFSZ'],
]);

export const runCommand: CommandSpec = {
  name: 'run',
  summary: 'run any program as an agent: running, then completed or failed with its exit code',
  notes: [
    'Prints nothing itself. Keys, signals, resizes and job control reach the program, and the',
    'command exits as the program does. An exit code other than 0, or a signal, needs attention;',
    'Ctrl-C does not. What is shown of a run is gone when the next one starts in that pane.',
    'Exit codes: those of the program; 126 it cannot be executed, 127 it does not exist.',
  ],
  examples: ['agtmux run -- aider --model sonnet', 'agtmux run --name nightly -- ./agent.sh'],
  args: [
    { value: text('CMD'), summary: 'the program and its arguments, after --', repeated: true },
  ],
  options: [
    { name: 'name', value: text('NAME'), summary: 'the name to show (that of the program)' },
    { name: 'agent', value: text('NAME'), summary: 'the kind of agent, such as claude (detected)' },
  ],
  run: runProgram,
};

async function runProgram(call: Call): Promise<number> {
  const [command = '', ...args] = call.args;
  const name = textOf(call.flags, 'name');
  const agent = textOf(call.flags, 'agent');
  checkAgent(agent);
  process.title = titleOf(basename(command), { agent, name });
  const startedMs = performance.now();
  const named = { program: basename(command), ...(name === undefined ? {} : { name }) };
  let pid = 0;
  let startReport: Promise<unknown> = Promise.resolve();
  const report = (event: string, facts: object): Promise<unknown> =>
    emit(event, agent, { pid, ...named, ...facts });
  const exit = await runWrapped({ command, args }, (started) => {
    pid = started;
    startReport = report('start', {});
  });
  if (exit.errorCode !== null) return notStarted(call, command, exit);
  // In this order, also when the program ends at once.
  await startReport;
  const lastedMs = Math.ceil(performance.now() - startedMs);
  await report('exit', { code: exit.code, signal: exit.signal, lasted_ms: lastedMs });
  return endAs(exit);
}

/** tmux names the window after the first word; the daemon finds `agtmux run` by the rest. */
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
  throw usageProblem(
    '--agent takes lowercase letters, digits, "_", "." and "-", and starts with a letter.',
    'See agtmux run --help.',
  );
}

/** Writes one event to the spool and wakes the daemon. A failure does not affect the program. */
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
  const why = isMissing ? 'no such program' : error;
  io.writeErr(`E_INPUT_INVALID: ${safeText(`${command}: ${why}`)}\n`);
  return isMissing ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/** Exits as the program did: with its exit code, or by its signal. */
function endAs({ code, signal }: WrappedExit): number {
  if (signal === null) return code ?? 0;
  if (!coreDumpSignals.has(signal)) process.kill(process.pid, signal);
  return 128 + constants.signals[signal];
}
