// Renders docs/reference/cli.md from the table of commands, so that the page cannot differ from
// what the program takes. scripts/docs.ts writes it.

import { type CommandSpec, loadCommands, type OptionSpec } from '../src/cli/command.ts';
import { asSentence, optionUsage, usageLine } from '../src/cli/help.ts';
import { globalOptions } from '../src/cli/options.ts';
import { standardOptions } from '../src/cli/parse.ts';
import { program } from '../src/cli/table.ts';
import { cell } from './docs-cell.ts';

function table(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    `| ${title} | |`,
    '|---|---|',
    ...rows.map(([name, summary]) => `| \`${cell(name)}\` | ${cell(summary)} |`),
    '',
  ];
}

const optionRows = (options: readonly OptionSpec[]): readonly (readonly [string, string])[] =>
  options.map((option) => [optionUsage(option), option.summary]);

function examples({ examples: lines = [] }: CommandSpec): readonly string[] {
  return lines.length === 0
    ? []
    : ['Examples:\n', `${lines.map((line) => `    ${line}`).join('\n')}\n`];
}

function section(command: CommandSpec, path: readonly string[]): readonly string[] {
  const own =
    command.run === undefined
      ? []
      : [
          `## agtmux ${path.join(' ')}\n`,
          `${asSentence(command.summary)}\n`,
          `    ${usageLine(path, command)}\n`,
          ...(command.notes === undefined ? [] : [`${command.notes.join('\n')}\n`]),
          ...examples(command),
          ...table(
            'argument',
            (command.args ?? []).map(({ value, summary }) => [value.label, summary]),
          ),
          ...table('option', optionRows(command.options ?? [])),
        ];
  const below = (command.commands ?? []).flatMap((each) => section(each, [...path, each.name]));
  return [...own, ...below];
}

/** The page: what all commands share, exit codes, then one section per command. */
export async function renderCli(): Promise<string> {
  const commands = await loadCommands(program);
  return [
    '# Command line\n',
    'Generated from `src/cli/commands` by `npm run docs`; do not edit by hand.\n',
    'On a terminal, `agtmux` alone is `agtmux tui`; elsewhere it is `agtmux list panes`.\n',
    'The daemon starts by itself when a command',
    'needs it; `status`, `tmux-status`, `daemon status`, `daemon stop`, `config`, `classify` and',
    '`completion` start none.\n',
    ...table('option of every command', optionRows([...globalOptions, ...standardOptions])),
    'A duration is `500ms`, `10s`, `5m`, `2h` or `1d`. A time is `2026-01-31T09:30:00Z`, or a',
    'duration that counts back from now.\n',
    'Exit codes: 0 done, 64 the command line is wrong, else as in [errors](errors.md) and at each',
    'command. Errors are `CODE: what`, then what to do, on stderr.\n',
    ...table(
      'other name',
      Object.entries(program.aliases).map(([name, words]) => [
        `agtmux ${name}`,
        `agtmux ${words.join(' ')}`,
      ]),
    ),
    ...commands.flatMap((each) => section(each, [each.name])),
  ].join('\n');
}
