// Reads one command line, runs its command and returns the exit code; bin/agtmux.js ends the
// process with it. table.ts lists the commands.

import { packageVersion } from '../platform/version.ts';
import { type Call, type CliIo, type CliOutput, isSet } from './command.ts';
import {
  EXIT_HUNG_UP,
  EXIT_INTERRUPTED,
  EXIT_USAGE,
  exitCodeOf,
  type ShownProblem,
} from './exit-codes.ts';
import { type ParsedLine, parse } from './parse.ts';
import { program } from './table.ts';

const HELP_WIDTH_MAX = 100;

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
    // SIGHUP has the same meaning, and may come later.
    if (error.code === 'EIO' || error.code === 'ENXIO') process.exit(EXIT_HUNG_UP);
    throw error;
  });
}

/** Runs one command line (as in process.argv) and returns its exit code. */
export async function runCli(argv: readonly string[], output?: CliOutput): Promise<number> {
  const io: CliIo = output
    ? { ...output, env: process.env, isTerminal: false, size: () => undefined }
    : processIo();
  const parsed = await parse(program, argv.slice(2));
  if (parsed.kind !== 'run') return printParsed(parsed, io, hasJsonFlag(argv));
  try {
    const call: Call = { args: parsed.args, flags: parsed.flags, io, program };
    return (await parsed.command.run?.(call)) ?? 0;
  } catch (error) {
    // By its name: each command file has a class of its own.
    if ((error as Error).name === 'Interrupted') return EXIT_INTERRUPTED;
    const problem = readProblem(error);
    if (problem === null) throw error;
    return fail(io, problem, isSet(parsed.flags, 'json'));
  }
}

/** Prints the version, help, or what is wrong with the command line. */
async function printParsed(
  parsed: Exclude<ParsedLine, { kind: 'run' }>,
  io: CliIo,
  isJson: boolean,
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
  const message = parsed.problem.replace(/[^?]$/, '$&.');
  const problem = { code: 'E_INPUT_INVALID', message, hint: `See ${name} --help.`, candidates: [] };
  return fail(io, { ...problem, exitCode: EXIT_USAGE }, isJson);
}

async function fail(io: CliIo, problem: ShownProblem, isJson: boolean): Promise<number> {
  const { printProblem } = await import('./output/print-problem.ts');
  printProblem(io, problem, isJson);
  return problem.exitCode;
}

/** Whether a line that cannot be read asks for JSON; what follows `--` are no options. */
function hasJsonFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

/** A refusal, recognised by its shape so that its class need not be loaded. Null: our own bug. */
function readProblem(error: unknown): ShownProblem | null {
  if (!(error instanceof Error)) return null;
  if (!['DaemonError', 'Fault', 'CliProblem'].includes(error.name)) return null;
  const { code, hint, rpcCode, exitCode, candidates } = error as Partial<ShownProblem> & {
    rpcCode?: number;
  };
  return {
    code: code ?? 'defect',
    message: error.message,
    hint: hint ?? null,
    exitCode: exitCode ?? exitCodeOf(rpcCode ?? 0),
    candidates: candidates ?? [],
  };
}
