// Reads one command line, runs its command and returns the exit code; bin/agtmux.js ends the
// process with it. table.ts lists the commands.

import { packageVersion } from '../platform/version.ts';
import { safeText } from '../render/safe-text.ts';
import type { Call, CliIo, CliOutput } from './command.ts';
import { EXIT_USAGE, exitCodeOf } from './exit-codes.ts';
import { type ParsedLine, parse } from './parse.ts';
import { program } from './table.ts';

const HELP_WIDTH_MAX = 100;
/** The exit code after SIGHUP, which has the same meaning and may come later. */
const EXIT_TERMINAL_GONE = 129;

function processIo(): CliIo {
  const stdout = endQuietly(process.stdout);
  return {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => endQuietly(process.stderr).write(text),
    env: process.env,
    isTerminal: stdout.isTTY === true,
    size: () => (stdout.isTTY ? { columns: stdout.columns, rows: stdout.rows } : undefined),
  };
}

// A closed pipe (`| head`) is not an error. A closed terminal reports EIO or ENXIO.
function endQuietly<Stream extends NodeJS.WriteStream>(stream: Stream): Stream {
  if (stream.listenerCount('error') > 0) return stream;
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (error.code === 'EIO' || error.code === 'ENXIO') process.exit(EXIT_TERMINAL_GONE);
    throw error;
  });
}

/** Runs one command line (as in process.argv) and returns its exit code. */
export async function runCli(argv: readonly string[], output?: CliOutput): Promise<number> {
  const io: CliIo = output
    ? { ...output, env: process.env, isTerminal: false, size: () => undefined }
    : processIo();
  const parsed = await parse(program, argv.slice(2));
  if (parsed.kind !== 'run') return printParsed(parsed, io);
  try {
    const call: Call = { args: parsed.args, flags: parsed.flags, io, program };
    return (await parsed.command.run?.(call)) ?? 0;
  } catch (error) {
    const problem = readProblem(error);
    if (problem === null) throw error;
    const hint = problem.hint === null ? '' : `\n${safeText(problem.hint)}`;
    io.writeErr(`${problem.code}: ${safeText(problem.message)}${hint}\n`);
    return problem.exitCode;
  }
}

/** Prints the version, help, or what is wrong with the command line. */
async function printParsed(
  parsed: Exclude<ParsedLine, { kind: 'run' }>,
  io: CliIo,
): Promise<number> {
  if (parsed.kind === 'version') {
    io.writeOut(`${packageVersion()}\n`);
    return 0;
  }
  if (parsed.kind === 'help') {
    const { helpText, programHelp } = await import('./help.ts');
    const width = Math.min(HELP_WIDTH_MAX, io.size()?.columns ?? HELP_WIDTH_MAX);
    const { path, command } = parsed;
    io.writeOut(path.length === 0 ? await programHelp(width) : helpText(path, command, width));
    return 0;
  }
  const name = ['agtmux', ...parsed.path].join(' ');
  const problem = parsed.problem.replace(/[^?]$/, '$&.');
  io.writeErr(`E_INPUT_INVALID: ${safeText(problem)} See ${name} --help.\n`);
  return EXIT_USAGE;
}

interface ShownProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: number;
}

/** A refusal, recognised by its shape so that its class need not be loaded. Null: our own bug. */
function readProblem(error: unknown): ShownProblem | null {
  if (!(error instanceof Error)) return null;
  if (!['DaemonError', 'Fault', 'CliProblem'].includes(error.name)) return null;
  const { code, hint, rpcCode, exitCode } = error as Partial<ShownProblem> & { rpcCode?: number };
  return {
    code: code ?? 'defect',
    message: error.message,
    hint: hint ?? null,
    exitCode: exitCode ?? exitCodeOf(rpcCode ?? 0),
  };
}
