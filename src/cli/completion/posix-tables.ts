// What may follow, as functions that bash and zsh both read: each prints lines of a word, a tab and
// its description. A line that begins with @ says where the words come from instead. Pure.

import { shellQuote, shellQuoteAll } from '../../platform/text/shell-quote.ts';
import type { OptionSpec, ValueSpec } from '../command.ts';
import { type CompletionPoint, everyOption, isFile } from './points.ts';

/** Functions `_agtmux_commands PATH`, `_agtmux_options PATH`, `_agtmux_values PATH OPTION`, ... */
export function posixTables(points: readonly CompletionPoint[]): readonly string[] {
  const named = points.filter(({ isAlias }) => !isAlias);
  return [
    '_agtmux_is_command() {',
    '  case "$1" in',
    `    ${points
      .slice(1)
      .map(({ path }) => path)
      .join(' | ')}) return 0 ;;`,
    '  esac',
    '  return 1',
    '}',
    ...table('_agtmux_commands', named, ({ path, commands }) =>
      commands.length === 0 ? [] : [[path, wordLines(commands)]],
    ),
    ...table('_agtmux_own_options', points, ({ path, options }) =>
      options.length === 0 ? [] : [[path, optionLines(options)]],
    ),
    '_agtmux_options() {',
    '  _agtmux_own_options "$1"',
    `  printf '%s\\n' ${shellQuoteAll(optionLines(everyOption))}`,
    '}',
    ...table('_agtmux_own_values', points, ({ path, options }) => valueRows(`${path} `, options)),
    // The options of every command are tried last: a command may have one of the same name.
    ...table('_agtmux_every_value', [null], () => valueRows('', everyOption)),
    '_agtmux_values() { _agtmux_own_values "$1 $2" || _agtmux_every_value "$2"; }',
    ...table('_agtmux_arguments', points, ({ path, args }) =>
      args.flatMap(({ value, repeated }, index) => {
        const lines = valueLines(value);
        return lines.length === 0 ? [] : [[`${path} ${repeated ? '*' : index}`, lines] as const];
      }),
    ),
  ];
}

type Row = readonly [pattern: string, lines: readonly string[]];

/** A function that prints the lines of its argument and fails for an argument without lines. */
function table<Item>(
  name: string,
  items: readonly Item[],
  rowsOf: (item: Item) => readonly Row[],
): readonly string[] {
  const rows = items.flatMap(rowsOf).map(([pattern, lines]) => {
    // A star that stands at the end is one of `case`.
    const isOpen = pattern.endsWith('*');
    const quoted = isOpen ? `${shellQuote(pattern.slice(0, -1))}*` : shellQuote(pattern);
    return `    ${quoted}) printf '%s\\n' ${shellQuoteAll(lines)} ;;`;
  });
  return [`${name}() {`, '  case "$1" in', ...rows, '    *) return 1 ;;', '  esac', '}'];
}

const wordLines = (items: readonly { name: string; summary: string }[]): readonly string[] =>
  items.map(({ name, summary }) => `${name}\t${summary}`);

const optionLines = (options: readonly OptionSpec[]): readonly string[] =>
  options.map(({ name, summary }) => `--${name}\t${summary}`);

const valueRows = (prefix: string, options: readonly OptionSpec[]): readonly Row[] =>
  options.flatMap(({ name, short, value }): readonly Row[] => {
    if (value === undefined) return [];
    const lines = valueLines(value);
    const written = lines.length === 0 ? ['@none'] : lines;
    const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
    return names.map((each) => [`${prefix}${each}`, written]);
  });

/** The words of a value; `@list` before words that may be joined by commas. */
function valueLines(value: ValueSpec): readonly string[] {
  if (value.source !== undefined) return [`@ask ${value.source}`];
  if (isFile(value)) return ['@files'];
  const words = value.choices ?? [];
  return value.kind === 'choices' ? ['@list', ...words] : words;
}
