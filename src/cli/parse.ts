// Reads one command line against the table of commands, and loads the one command that is named.
// Written by hand because start time is a budget. Returns what to run, what help to print, or what
// is wrong.

import { nearest } from '../text/nearest-word.ts';
import type { CommandSpec, Flags, FlagValue, OptionSpec, Program } from './command.ts';
import { readValue } from './value.ts';

export type ParsedLine =
  | {
      readonly kind: 'run';
      readonly command: CommandSpec;
      readonly path: readonly string[];
      readonly args: readonly string[];
      readonly flags: Flags;
    }
  | { readonly kind: 'help'; readonly command: CommandSpec; readonly path: readonly string[] }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage'; readonly problem: string; readonly path: readonly string[] };

/** Options of every command, besides its own. */
export const standardOptions: readonly OptionSpec[] = [
  { name: 'help', short: 'h', summary: 'print help' },
  { name: 'version', short: 'V', summary: 'print the version' },
];

class UsageProblem {
  readonly problem: string;
  constructor(problem: string) {
    this.problem = problem;
  }
}

/** What has been read so far. */
interface Reading {
  readonly program: Program;
  readonly tokens: readonly string[];
  next: number;
  command: CommandSpec;
  options: OptionSpec[];
  readonly path: string[];
  readonly args: string[];
  readonly flags: Record<string, FlagValue>;
}

/** What a command line asks for; its tokens are without the name of the program. */
export async function parse(program: Program, tokens: readonly string[]): Promise<ParsedLine> {
  // `agtmux help send` is `agtmux send --help`.
  const isHelp = tokens[0] === 'help';
  const reading: Reading = {
    program,
    tokens: isHelp ? [...tokens.slice(1), '--help'] : tokens,
    next: 0,
    command: program,
    options: [...standardOptions, ...(program.options ?? [])],
    path: [],
    args: [],
    flags: Object.create(null),
  };
  try {
    await readTokens(reading);
    if (reading.command.run === undefined && reading.flags['help'] !== true) enterDefault(reading);
    return finish(reading);
  } catch (error) {
    if (!(error instanceof UsageProblem)) throw error;
    return { kind: 'usage', problem: error.problem, path: reading.path };
  }
}

async function readTokens(reading: Reading): Promise<void> {
  while (reading.next < reading.tokens.length) {
    const token = reading.tokens[reading.next] ?? '';
    reading.next += 1;
    if (token === '--') {
      reading.args.push(...reading.tokens.slice(reading.next));
      return;
    }
    if (token.startsWith('--')) readLong(reading, token.slice(2));
    else if (token.startsWith('-') && token.length > 1) readShorts(reading, token.slice(1));
    else await readWord(reading, token);
    if (reading.flags['help'] === true) return;
  }
}

function finish({ command, path, args, flags }: Reading): ParsedLine {
  if (flags['help'] === true) return { kind: 'help', command, path };
  if (flags['version'] === true) return { kind: 'version' };
  if (command.run === undefined) {
    const names = (command.commands ?? []).map(({ name }) => name);
    throw new UsageProblem(`${command.name} needs one of ${names.join(', ')}`);
  }
  checkArguments(command, args);
  const missing = command.options?.find((each) => each.required && flags[each.name] === undefined);
  if (missing) throw new UsageProblem(`${command.name} needs --${missing.name}`);
  return { kind: 'run', command, path, args, flags };
}

function checkArguments(command: CommandSpec, args: readonly string[]): void {
  const specs = command.args ?? [];
  const missing = specs.find((spec, index) => !spec.optional && args[index] === undefined);
  if (missing) throw new UsageProblem(`${command.name} needs ${missing.value.label}`);
  if (args.length > specs.length && !specs.at(-1)?.repeated) {
    throw new UsageProblem(
      `${command.name} takes no argument ${quoteWord(args[specs.length] ?? '')}`,
    );
  }
  for (const [index, text] of args.entries()) {
    const spec = specs[Math.min(index, specs.length - 1)];
    if (spec === undefined) return;
    const read = readValue(spec.value, text);
    if (!read.ok) throw new UsageProblem(`${spec.value.label} ${quoteWord(text)}: ${read.problem}`);
  }
}

async function readWord(reading: Reading, word: string): Promise<void> {
  const { program, command, args } = reading;
  const isTop = command === program;
  if (isTop && args.length === 0 && Object.hasOwn(program.aliases, word)) {
    for (const each of program.aliases[word] ?? []) await readWord(reading, each);
    return;
  }
  const found = args.length === 0 ? await findCommand(reading, word) : undefined;
  if (found !== undefined) {
    enter(reading, found);
    return;
  }
  const names = isTop
    ? [...Object.keys(program.lazyCommands), ...Object.keys(program.aliases)]
    : (command.commands ?? []).map(({ name }) => name);
  if (names.length > 0 && (command.args ?? []).length === 0) {
    throw new UsageProblem(
      `there is no command ${quoteWord(word)}${suggestion(nearest(word, names))}`,
    );
  }
  args.push(word);
}

function enter(reading: Reading, command: CommandSpec): void {
  reading.command = command;
  reading.path.push(command.name);
  reading.options = [...reading.options, ...(command.options ?? [])];
}

/** Goes on with the command that a group means where none is named. */
function enterDefault(reading: Reading): void {
  const { defaultCommand, commands } = reading.command;
  const found = commands?.find(({ name }) => name === defaultCommand);
  if (found !== undefined) enter(reading, found);
}

async function findCommand(
  { program, command }: Reading,
  word: string,
): Promise<CommandSpec | undefined> {
  if (command !== program) return command.commands?.find(({ name }) => name === word);
  return Object.hasOwn(program.lazyCommands, word) ? program.lazyCommands[word]?.() : undefined;
}

/** An option of the command so far, or of the one that it means without a name. */
function findOption(
  reading: Reading,
  isMeant: (option: OptionSpec) => boolean,
): OptionSpec | undefined {
  const found = reading.options.findLast(isMeant);
  if (found !== undefined) return found;
  enterDefault(reading);
  return reading.options.findLast(isMeant);
}

function readLong(reading: Reading, text: string): void {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const option = findOption(reading, (each) => each.name === name);
  if (option === undefined) {
    const names = reading.options.map((each) => each.name);
    const hint = suggestion(nearest(name, names), '--');
    throw new UsageProblem(`there is no option ${quoteWord(`--${name}`)}${hint}`);
  }
  if (option.value === undefined) {
    if (equals >= 0) throw new UsageProblem(`--${name} takes no value`);
    reading.flags[name] = true;
    return;
  }
  setValue(reading, option, equals < 0 ? nextValue(reading, option) : text.slice(equals + 1));
}

/** `-s PATH`, `-sPATH`, and switches in one word. */
function readShorts(reading: Reading, letters: string): void {
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? '';
    const option = findOption(reading, ({ short }) => short === letter);
    if (option === undefined)
      throw new UsageProblem(`there is no option ${quoteWord(`-${letter}`)}`);
    if (option.value === undefined) {
      reading.flags[option.name] = true;
      continue;
    }
    const rest = letters.slice(at + 1).replace(/^=/, '');
    setValue(reading, option, rest === '' ? nextValue(reading, option) : rest);
    return;
  }
}

/** The word after an option. A known option is not taken for its value; `--name=--x` gives that. */
function nextValue(reading: Reading, option: OptionSpec): string {
  const token = reading.tokens[reading.next];
  const isOption = reading.options.some(
    ({ name, short }) => token === `--${name}` || (short !== undefined && token === `-${short}`),
  );
  if (token === undefined || isOption) {
    throw new UsageProblem(`--${option.name} needs ${option.value?.label ?? 'a value'}`);
  }
  reading.next += 1;
  return token;
}

function setValue({ flags }: Reading, option: OptionSpec, text: string): void {
  if (option.value === undefined) return;
  const read = readValue(option.value, text);
  if (!read.ok) throw new UsageProblem(`--${option.name} ${quoteWord(text)}: ${read.problem}`);
  const before = flags[option.name];
  if (option.repeated) flags[option.name] = [...(Array.isArray(before) ? before : []), read.value];
  else flags[option.name] = read.value;
}

const suggestion = (word: string | undefined, prefix = ''): string =>
  word === undefined ? '' : `; did you mean ${prefix}${word}?`;

/** The word as typed; in quotes where it has a space or an unusual character. */
const quoteWord = (text: string): string =>
  /^[\w./:@%+,=-]{1,60}$/.test(text) ? text : JSON.stringify(text.slice(0, 60));
