// Is this process an agent? The program decides, or the script that a wrapper runs; never a word in
// some other argument, and never the name of a folder on the way.

import { commandName, isBareVersion, isWrapper } from './command.ts';
import type { ProcessInfo } from './process-tree.ts';
import type { IdentifySpec } from './spec.ts';

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

/** npx takes the package by name and may run another of its programs. */
const PACKAGE_OPTIONS = new Set(['--package']);

/** Code on the command line or from a pipe: there is no script. */
const INLINE_CODE = new Set(['-e', '--eval', '-p', '--print', '-']);

/** Words of npm, bun and deno that come before what they run. */
const SUBCOMMANDS = new Set(['run', 'exec', 'x', 'dlx', 'task']);

/** True when the process is the agent that the spec describes. */
export function matchesProcess(spec: IdentifySpec, process: ProcessInfo): boolean {
  const [program = process.comm, ...args] = process.argv;
  const rest = args.join(' ');
  if (spec.notArgv.some((pattern) => pattern.test(rest))) return false;
  // Some agents bring their own node: the folder it lies in is theirs.
  if ([program, process.exe ?? ''].some((path) => spec.paths.some((part) => path.includes(part)))) {
    return true;
  }
  if (isWrapper(program)) {
    const script = scriptOf(args);
    return script !== null && matchesScript(spec, script);
  }
  return matchesProgram(spec, program, process);
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

/** The script or package that a wrapper was told to run, or null. */
export function scriptOf(args: readonly string[]): string | null {
  let skip = false;
  for (const [index, arg] of args.entries()) {
    if (skip) {
      skip = false;
    } else if (INLINE_CODE.has(arg)) {
      return null;
    } else if (PACKAGE_OPTIONS.has(arg)) {
      return args[index + 1] ?? null;
    } else if (arg.startsWith('--package=')) {
      return arg.slice('--package='.length);
    } else if (!arg.startsWith('-') && !SUBCOMMANDS.has(arg)) {
      return arg;
    } else {
      skip = VALUE_OPTIONS.has(arg);
    }
  }
  return null;
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
  const at = path.indexOf(`/node_modules/${name}`);
  if (at < 0) return false;
  // Platform packages share the name: @openai/codex-linux-x64.
  const next = path.slice(at + `/node_modules/${name}`.length);
  return next.startsWith('/') || /^-(?:linux|darwin|win32|windows|freebsd|android)/.test(next);
}
