// The program that `agtmux run` started: it is an agent because a person wants it to be one.
// The wrapper is in the process tree with its own command line, so no state is kept.

import { commandName, isWrapper, optionValue } from './command.ts';
import { ancestorsOf, isDefunct, type ProcessInfo } from './process-tree.ts';

export interface WrappedProgram {
  readonly process: ProcessInfo;
  /** The kind of agent that a person named; null where none was named. */
  readonly agent: string | null;
  /** Its agent name when no adapter recognises it. */
  readonly name: string;
}

/** Behind Node and its options the program is among the first words. */
const PROGRAM_WORDS_MAX = 4;
/** Our own options and their values; later words belong to another program. */
const TITLE_WORDS_MAX = 16;
const NAME_LENGTH_MAX = 64;

/** The outermost program that a wrapper started, or null where there is none. */
export function findWrappedProgram(processes: readonly ProcessInfo[]): WrappedProgram | null {
  for (const wrapper of processes) {
    const words = isDefunct(wrapper) ? null : wrapperWords(wrapper.argv);
    if (words === null) continue;
    const process = processes.find((each) => each.ppid === wrapper.pid && isProgram(each));
    if (process !== undefined) return describe(process, words);
  }
  return null;
}

/** Whether one process is another, or was started by it or by what it started. */
export function isWithin(
  process: ProcessInfo,
  outer: ProcessInfo,
  processes: readonly ProcessInfo[],
): boolean {
  const byPid = new Map(processes.map((each) => [each.pid, each]));
  return process.pid === outer.pid || ancestorsOf(process, byPid).includes(outer);
}

/** The words behind `agtmux run`, or null for any other program. */
function wrapperWords(argv: readonly string[]): readonly string[] | null {
  return titleWords(argv) ?? typedWords(argv);
}

/** The process title `claude agtmux run --name x --`, as one or several arguments. */
function titleWords(argv: readonly string[]): readonly string[] | null {
  const words = argv.slice(0, TITLE_WORDS_MAX).join(' ').trim().split(/\s+/);
  const [, agtmux, run] = words;
  return agtmux === 'agtmux' && run === 'run' && words.at(-1) === '--' ? words.slice(3) : null;
}

/** As it was typed, until it has that name. */
function typedWords(argv: readonly string[]): readonly string[] | null {
  const words = commandWords(argv);
  return words?.[0] === 'run' ? words.slice(1) : null;
}

/** The words from the command of agtmux on, or null for any other program. */
function commandWords([program = '', ...rest]: readonly string[]): readonly string[] | null {
  const words = isWrapper(program) ? rest : [program, ...rest];
  const at = words.slice(0, PROGRAM_WORDS_MAX).findIndex(isAgtmux);
  const isFirst = at === 0 || words.slice(0, at).every((word) => word.startsWith('-'));
  return at < 0 || !isFirst ? null : words.slice(commandAt(words, at + 1));
}

/** Where the command stands: behind our options. The daemon is `daemon run`, and no wrapper. */
function commandAt(words: readonly string[], from: number): number {
  let at = from;
  while (words[at]?.startsWith('-') === true) {
    at += words[at] === '-s' || words[at] === '--socket-path' ? 2 : 1;
  }
  return at;
}

const isAgtmux = (word: string): boolean => ['agtmux', 'agtmux.js'].includes(commandName(word));

/** Whether a process is `agtmux run` itself: it may bear the name of the program that it runs. */
export const isRunWrapper = ({ argv }: ProcessInfo): boolean => wrapperWords(argv) !== null;

/** Whether a process is agtmux itself, such as the live view or the demo, and no wrapper. */
export const isOwnProgram = (process: ProcessInfo): boolean =>
  !isRunWrapper(process) && commandWords(process.argv) !== null;

/** Not the emitter, nor a second wrapper that the first has started on a newer Node. */
const isProgram = (process: ProcessInfo): boolean =>
  !isDefunct(process) &&
  !isRunWrapper(process) &&
  !process.argv.slice(0, 2).some((word) => commandName(word) === 'agtmux-emit');

function describe(process: ProcessInfo, words: readonly string[]): WrappedProgram {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const agent = optionValue(own, '--agent');
  const [program = process.comm] = process.argv;
  return {
    process,
    agent: agent === null ? null : agentNameOf(agent),
    name: agentNameOf(optionValue(own, '--name') ?? commandName(program)),
  };
}

/** A text turned into the name of an agent. */
export function agentNameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, NAME_LENGTH_MAX);
  return name === '' ? 'generic' : name;
}
