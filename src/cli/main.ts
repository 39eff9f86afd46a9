// The command line. Builds the command tree, runs it once and returns the exit code; the process
// belongs to bin/agtmux.js. Until there is a daemon to ask, the bare command says what exists.

import { Command, CommanderError } from 'commander';
import { packageVersion } from '../platform/version.ts';
import { registerClassify } from './commands/classify.ts';

export type CliOutput = {
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
};

const processOutput: CliOutput = {
  writeOut: (text) => process.stdout.write(text),
  writeErr: (text) => process.stderr.write(text),
};

// EX_USAGE of sysexits, as in the table of problems.
const EXIT_USAGE = 64;

// The text of the bare command. It names only what a reader finds in this version.
export function overview(version: string): string {
  return [
    `agtmux ${version}: tells what every AI coding agent in your tmux panes is doing.`,
    '',
    'This version has the engine that decides states, its store, and the knowledge of each',
    'agent. There is no daemon yet, so no pane is watched. What works:',
    '  agtmux classify FILE...  say what recorded screens show',
    '',
    'Where to look:',
    '  README.md        what it is, and how to start',
    '  ARCHITECTURE.md  how the parts fit together',
    '  docs/status.md   what is done, what is not, and the test that shows it',
    '  npm test         every test, in this checkout',
    '',
  ].join('\n');
}

function buildProgram(output: CliOutput): Command {
  const version = packageVersion();
  const program = new Command('agtmux')
    .description('Tells what every AI coding agent in your tmux panes is doing.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput(output)
    .action(() => output.writeOut(overview(version)));
  registerClassify(program, output);
  return program;
}

// Runs one command line and returns its exit code: 64 for a usage error, else what the command set.
// Commander reports help, version and usage errors as exceptions after it has printed them.
export async function runCli(
  argv: readonly string[],
  output: CliOutput = processOutput,
): Promise<number> {
  try {
    await buildProgram(output).parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}
