// The help page of a command, of a group of commands and of the program. For the last one every
// command is loaded, and the build puts all of them into the bundle of this file.

import { wrapText } from '../render/width.ts';
import { type CommandSpec, loadCommands, type OptionSpec } from './command.ts';
import { globalOptions } from './options.ts';
import { standardOptions } from './parse.ts';
import { program } from './table.ts';

/** `-s, --socket-path PATH`; the words of a list in the place of a label. */
export function optionUsage({ name, short, value }: OptionSpec): string {
  const letter = short === undefined ? '' : `-${short}, `;
  if (value === undefined) return `${letter}--${name}`;
  const words = value.kind === 'choice' ? value.choices?.join('|') : undefined;
  return `${letter}--${name} ${words ?? value.label}`;
}

/** `agtmux history [REF] [options]`. */
export function usageLine(path: readonly string[], command: CommandSpec): string {
  const args = (command.args ?? []).map(({ value, optional, repeated }) => {
    const label = `${value.choices?.join('|') ?? value.label}${repeated ? '...' : ''}`;
    return optional ? `[${label}]` : label;
  });
  const commands = (command.commands ?? []).length === 0 ? [] : ['COMMAND'];
  const isOptional = command.run !== undefined && commands.length > 0;
  return ['agtmux', ...path, ...(isOptional ? ['[COMMAND]'] : commands), ...args, '[options]'].join(
    ' ',
  );
}

export const programHelp = async (width: number): Promise<string> =>
  helpText([], { ...program, commands: await loadCommands(program) }, width);

/** The help page of a command, at most `width` cells wide; its examples stay on one line each. */
export function helpText(path: readonly string[], command: CommandSpec, width: number): string {
  const options = path.length === 0 ? [] : (command.options ?? []);
  const sections = [
    `Usage: ${usageLine(path, command)}`,
    [asSentence(command.summary), ...(command.notes ?? [])]
      .flatMap((line) => wrapText(line, width))
      .join('\n'),
    section(
      'Commands',
      (command.commands ?? []).map(({ name, summary }) => [name, summary]),
      width,
    ),
    section(
      'Arguments',
      (command.args ?? []).map(({ value, summary }) => [value.label, summary]),
      width,
    ),
    section(
      'Options',
      options.map((each) => [optionUsage(each), each.summary]),
      width,
    ),
    section(
      'Options of every command',
      [...globalOptions, ...standardOptions].map((each) => [optionUsage(each), each.summary]),
      width,
    ),
    exampleSection(path.length === 0 ? { ...command, commands: [] } : command),
    path.length === 0 ? CLOSING : '',
  ];
  return `${sections.filter((each) => each !== '').join('\n\n')}\n`;
}

/** `list every pane` as `List every pane.` */
export const asSentence = (summary: string): string =>
  `${summary.charAt(0).toUpperCase()}${summary.slice(1).replace(/\.$/, '')}.`;

const CLOSING = [
  'On a terminal, agtmux alone is agtmux tui; elsewhere it is agtmux list panes.',
  'agtmux COMMAND --help prints its options and examples. The daemon starts by itself.',
].join('\n');

/** The examples of a command and of those below it. */
function exampleSection(command: CommandSpec): string {
  const all = [command, ...(command.commands ?? [])].flatMap(({ examples }) => examples ?? []);
  return all.length === 0 ? '' : ['Examples:', ...all.map((line) => `  ${line}`)].join('\n');
}

const LABEL_CELLS_MAX = 30;

function section(
  title: string,
  rows: readonly (readonly [string, string])[],
  width: number,
): string {
  if (rows.length === 0) return '';
  const widest = Math.max(...rows.map(([label]) => label.length));
  const cells = Math.min(widest, LABEL_CELLS_MAX) + 4;
  const lines = rows.flatMap(([label, summary]) => {
    const wrapped = wrapText(summary, Math.max(20, width - cells));
    const [first = '', ...rest] = wrapped;
    const head =
      label.length + 4 > cells
        ? [`  ${label}`, ' '.repeat(cells) + first]
        : [`  ${label}`.padEnd(cells) + first];
    return [...head, ...rest.map((line) => ' '.repeat(cells) + line)];
  });
  return [`${title}:`, ...lines].join('\n');
}
