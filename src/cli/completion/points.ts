// Where a completion may stand: one point for each command, with what may follow there. Pure.

import type { ArgumentSpec, CommandSpec, OptionSpec, Program, ValueSpec } from '../command.ts';
import { globalOptions } from '../options.ts';
import { standardOptions } from '../parse.ts';

/** The commands typed so far, and what may follow. */
export interface CompletionPoint {
  /** `agtmux/list/panes`. */
  readonly path: string;
  readonly commands: readonly CommandSpec[];
  /** Those of every command aside, which are `everyOption`. */
  readonly options: readonly OptionSpec[];
  readonly args: readonly ArgumentSpec[];
  /** Another name of a command, which is completed and not offered. */
  readonly isAlias: boolean;
}

export const everyOption: readonly OptionSpec[] = [...globalOptions, ...standardOptions];

/** Every point of the program; the first one is the program itself. */
export function completionPoints(
  program: Program,
  commands: readonly CommandSpec[],
): readonly CompletionPoint[] {
  const root: CompletionPoint = {
    path: program.name,
    commands,
    options: [],
    args: [],
    isAlias: false,
  };
  const aliases = Object.entries(program.aliases).flatMap(([name, words]) =>
    pointsBelow({ ...findCommand(commands, words), name }, root, { isAlias: true }),
  );
  return [root, ...commands.flatMap((each) => pointsBelow(each, root)), ...aliases];
}

function pointsBelow(
  command: CommandSpec,
  above: CompletionPoint,
  { isAlias } = { isAlias: false },
): readonly CompletionPoint[] {
  const { name, commands = [], args = [], defaultCommand } = command;
  // What the command means without a further word takes its options.
  const meant = commands.find((each) => each.name === defaultCommand)?.options ?? [];
  const own = [...above.options, ...(command.options ?? [])];
  const point = { path: `${above.path}/${name}`, commands, options: own, args, isAlias };
  const below = commands.flatMap((each) => pointsBelow(each, point, { isAlias }));
  return [{ ...point, options: [...own, ...meant] }, ...below];
}

function findCommand(commands: readonly CommandSpec[], words: readonly string[]): CommandSpec {
  const [word, ...rest] = words;
  const found = commands.find(({ name }) => name === word);
  if (found === undefined) throw new Error(`the alias ${words.join(' ')} names no command`);
  return rest.length === 0 ? found : findCommand(found.commands ?? [], rest);
}

/** Values that are files on disk, by how help names them. */
export const isFile = ({ label }: ValueSpec): boolean => ['PATH', 'FILE', 'DIR'].includes(label);
