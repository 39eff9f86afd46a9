// Help for every level, made from the table. Pure.

import { wrapText } from '../render/width.ts';
import type { CommandSpec, OptionSpec } from './command.ts';
import { globalOptions } from './options.ts';
import { standardOptions } from './parse.ts';

/** `-s, --socket-path PATH`; the words of a list in the place of a label. */
export function optionUsage({ name, short, value }: OptionSpec): string {
  const letter = short === undefined ? '' : `-${short}, `;
  if (value === undefined) return `${letter}--${name}`;
  return `${letter}--${name} ${value.choices?.join('|') ?? value.label}`;
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

/** The help page of a command, no wider than told. */
export function helpText(path: readonly string[], command: CommandSpec, width: number): string {
  const options = path.length === 0 ? [] : (command.options ?? []);
  const visible = (command.commands ?? []).filter(({ aliasOf }) => aliasOf === undefined);
  const sections = [
    `Usage: ${usageLine(path, command)}`,
    [command.summary, ...(command.notes ?? [])].flatMap((line) => wrapText(line, width)).join('\n'),
    section(
      'Commands',
      visible.map(({ name, summary }) => [name, summary]),
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
      'Everywhere',
      [...globalOptions, ...standardOptions].map((each) => [optionUsage(each), each.summary]),
      width,
    ),
    path.length === 0 ? 'agtmux alone is agtmux list panes. The daemon starts by itself.' : '',
  ];
  return `${sections.filter((each) => each !== '').join('\n\n')}\n`;
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
