// Is this process an agent? The program decides, or the script that a wrapper runs; never a word in
// some other argument, and never the name of a folder on the way.

import type { IdentifySpec } from '../adapter.ts';
import { LINE_LENGTH_MAX } from '../screen/pattern.ts';
import { commandName, isBareVersion, isWrapper } from './command.ts';
import type { ProcessInfo } from './process-tree.ts';

/** Options of node, bun and deno that take the next word as their value. */
const VALUE_OPTIONS = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--env-file',
  '--max-old-space-size',
  '--config',
  '--cwd',
]);

/** Runners of packages: `-p` and `--package` name the package, and any of its programs runs. */
const PACKAGE_RUNNERS = new Set('npx npm pnpm pnpx bunx yarn'.split(' '));

/** Code on the command line or from a pipe: there is no script. */
const INLINE_CODE = new Set(['-e', '--eval', '-p', '--print', '-']);

/** Words of npm, bun and deno that come before what they run. */
const SUBCOMMANDS = new Set(['run', 'exec', 'x', 'dlx', 'task']);
/** These name an entry of the project's own list, which may be called like an agent. */
const LIST_COMMANDS = new Set(['run', 'task']);

/** True when the process is the agent that the spec describes. */
export function matchesProcess(spec: IdentifySpec, process: ProcessInfo): boolean {
  return ownArguments(spec, process).some((args) => !beginsWith(spec.notArgv, args));
}

/** Whether the process is a service of this agent that other panes use too. */
export function isSharedService(spec: IdentifySpec, process: ProcessInfo): boolean {
  return ownArguments(spec, process).some((args) => beginsWith(spec.sharedArgv, args));
}

/** Whether the process of an agent answers once and exits, instead of waiting at a prompt. */
export function isOneShot(spec: IdentifySpec, process: ProcessInfo): boolean {
  const isNamed = (word = ''): boolean => spec.oneShot.has(word.split('=', 1)[0] ?? '');
  return ownArguments(spec, process).some(
    (args) =>
      args.some((word) => word.startsWith('-') && isNamed(word)) ||
      startsOf(args).some((start) => isNamed(args[start])),
  );
}

/** The arguments of the agent that the process may be; none where it is another program. */
function ownArguments(spec: IdentifySpec, process: ProcessInfo): readonly (readonly string[])[] {
  const [program = process.comm, ...args] = process.argv;
  // Some agents bring their own node: the folder it lies in is theirs.
  const isOwn = [program, process.exe ?? ''].some((path) =>
    spec.paths.some((part) => path.includes(part)),
  );
  if (!isOwn && isWrapper(program)) {
    return scriptsOf(commandName(program), args).flatMap(({ script, rest }) =>
      matchesScript(spec, script) ? [rest] : [],
    );
  }
  return isOwn || matchesProgram(spec, program, process) ? [args] : [];
}

/** The same program as a daemon or a server: its first word says so, behind any options. */
function beginsWith(patterns: readonly RegExp[], args: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  return startsOf(args).some((start) => {
    const rest = args.slice(start).join(' ').slice(0, LINE_LENGTH_MAX);
    return patterns.some((pattern) => pattern.test(rest));
  });
}

/** Where the arguments may begin: at once, and behind options that may have a value or none. */
function startsOf(args: readonly string[]): readonly number[] {
  const starts = [0];
  for (const [index, arg] of args.entries()) {
    if (arg.startsWith('-')) continue;
    starts.push(index);
    if (!args[index - 1]?.startsWith('-')) break;
  }
  return starts;
}

function matchesProgram(spec: IdentifySpec, program: string, process: ProcessInfo): boolean {
  const { executables, packages } = spec;
  if (executables.has(commandName(program))) return true;
  const files = [program, process.exe ?? ''].filter((path) => path.includes('/'));
  if (files.some((path) => executables.has(commandName(path)))) return true;
  if (files.some((path) => packages.some((name) => isInPackage(path, name)))) return true;
  // comm may be kept where argv[0] was overwritten, and the other way round.
  if (executables.has(commandName(process.comm)) && !isWrapper(program)) {
    return commandName(program) === '' || isBareVersion(program);
  }
  return spec.versionArgv0 && isBareVersion(program) && !program.includes('/');
}

interface Script {
  readonly script: string;
  /** The script's own arguments. */
  readonly rest: readonly string[];
}

/** The script that a wrapper runs; several candidates after an option that we do not know. */
function scriptsOf(wrapper: string, args: readonly string[]): readonly Script[] {
  const runsPackages = PACKAGE_RUNNERS.has(wrapper);
  const named = runsPackages ? packageOption(args) : null;
  if (named !== null) return [named];
  const words = wordsOf(args);
  const isListed = words.some(({ word }) => LIST_COMMANDS.has(word));
  const [first, ...more] = words.filter(({ word }) => !SUBCOMMANDS.has(word));
  if (first === undefined) return [];
  const scripts = first.isValue && !runsPackages ? [first, ...more.filter(isPath)] : [first];
  return scripts
    .filter((each) => !isListed || isPath(each))
    .map(({ word, index }) => ({ script: word, rest: args.slice(index + 1) }));
}

interface Word {
  readonly word: string;
  readonly index: number;
  /** Behind an option: it may be its value. */
  readonly isValue: boolean;
}

const isPath = ({ word }: Word): boolean => word.includes('/');

/** The words before the script's own arguments, without options and the values we know. */
function wordsOf(args: readonly string[]): readonly Word[] {
  const words: Word[] = [];
  for (const [index, word] of args.entries()) {
    const before = args[index - 1] ?? '';
    if (INLINE_CODE.has(word)) break;
    if (word.startsWith('-') || VALUE_OPTIONS.has(before)) continue;
    const isValue = before.startsWith('-');
    words.push({ word, index, isValue });
    if (!isValue && !SUBCOMMANDS.has(word)) break;
  }
  return words;
}

function packageOption(args: readonly string[]): Script | null {
  const index = args.findIndex((arg) => /^(?:-p|--package(?:=.*)?)$/.test(arg));
  const [, joined] = args[index]?.split('--package=') ?? [];
  const name = joined ?? (index < 0 ? undefined : args[index + 1]);
  if (name === undefined) return null;
  return { script: name, rest: args.slice(index + (joined === undefined ? 3 : 2)) };
}

function matchesScript(spec: IdentifySpec, script: string): boolean {
  if (spec.packages.some((name) => isInPackage(script, name))) return true;
  if (script.includes('/')) {
    // A link such as /usr/local/bin/gemini has no ending; gemini.js in some project is no agent.
    if (spec.paths.some((part) => script.includes(part))) return true;
    const base = script.slice(script.lastIndexOf('/') + 1);
    return !base.includes('.') && spec.executables.has(base.toLowerCase());
  }
  return spec.executables.has(script.toLowerCase());
}

/** The path lies in the package's folder, or is the package's own name as npx takes it. */
function isInPackage(path: string, name: string): boolean {
  if (path === name || path.startsWith(`${name}@`) || path === `npm:${name}`) return true;
  if (path.startsWith(`npm:${name}@`)) return true;
  const folder = `/node_modules/${name}`;
  const at = path.lastIndexOf(folder);
  if (at < 0) return false;
  const next = path.slice(at + folder.length);
  // What the package brings along is not the agent: its own dependencies, ripgrep.
  if (next.includes('/node_modules/') || next.includes('/vendor/')) return false;
  // Platform packages share the name: @openai/codex-linux-x64.
  return next.startsWith('/') || /^-(?:linux|darwin|win32|windows|freebsd|android)/.test(next);
}
