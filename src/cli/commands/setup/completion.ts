// `agtmux completion bash|zsh|fish`: a completion script for the commands of this version. While
// the user types, it runs neither a daemon nor Node.

import {
  type Call,
  type CommandSpec,
  loadCommands,
  type OptionSpec,
  type ValueSpec,
} from '../../command.ts';
import { choice } from '../../options.ts';
import { standardOptions } from '../../parse.ts';

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print the completion script for a shell',
  examples: ['source <(agtmux completion bash)', 'agtmux completion fish | source'],
  args: [{ value: choice('SHELL', ['bash', 'zsh', 'fish']), summary: 'the shell' }],
  run: runCompletion,
};

/** The commands typed so far, and what may follow. */
interface CompletionPoint {
  /** `agtmux/list/panes`. */
  readonly path: string;
  readonly command: CommandSpec;
  readonly options: readonly OptionSpec[];
}

async function runCompletion({ args, io, program }: Call): Promise<number> {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  const shell = args[0] as keyof typeof scripts;
  const commands = await loadCommands(program);
  const aliases = Object.entries(program.aliases).map(([name, words]) => ({
    ...findCommand(commands, words),
    name,
    isAlias: true,
  }));
  const root = { ...program, commands: [...commands, ...aliases] };
  io.writeOut(scripts[shell](pointsOf(root, 'agtmux', standardOptions)));
  return 0;
}

/** A command of the tree; an alias is completed, but fish does not list it. */
type CompletedCommand = CommandSpec & { readonly isAlias?: boolean };

function findCommand(commands: readonly CommandSpec[], words: readonly string[]): CommandSpec {
  const [word, ...rest] = words;
  const found = commands.find(({ name }) => name === word);
  if (found === undefined) throw new Error(`the alias ${words.join(' ')} names no command`);
  return rest.length === 0 ? found : findCommand(found.commands ?? [], rest);
}

function pointsOf(
  command: CommandSpec,
  path: string,
  inherited: readonly OptionSpec[],
): readonly CompletionPoint[] {
  const options = [...inherited, ...(command.options ?? [])];
  const below = (command.commands ?? []).flatMap((each) =>
    pointsOf(each, `${path}/${each.name}`, options),
  );
  return [{ path, command, options }, ...below];
}

/** The words that may follow. */
function wordsOf({ command, options }: CompletionPoint): readonly string[] {
  return [
    ...(command.commands ?? []).map(({ name }) => name),
    ...(command.args?.[0]?.value.choices ?? []),
    ...options.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  ];
}

/** Values that are files on disk, by how help names them. */
const isFile = ({ label }: ValueSpec): boolean => label === 'PATH' || label === 'FILE';

/** Cases of `point:option before the cursor` for a shell, with the values that it completes. */
function valueCases(
  points: readonly CompletionPoint[],
  files: string,
  words: (list: string) => string,
) {
  return points.flatMap(({ path, options }) =>
    options.flatMap(({ name, short, value }) => {
      if (value === undefined) return [];
      const pattern = [`${path}:--${name}`, ...(short ? [`${path}:-${short}`] : [])].join(' | ');
      const offered = isFile(value) ? files : words((value.choices ?? []).join(' '));
      return [`    ${pattern}) ${offered}; return ;;`];
    }),
  );
}

const pathCases = (points: readonly CompletionPoint[]): string =>
  points
    .slice(1)
    .map(({ path }) => path)
    .join(' | ');

function bashScript(points: readonly CompletionPoint[]): string {
  const reply = (list: string): string => `COMPREPLY=($(compgen -W "${list}" -- "$cur"))`;
  return [
    '# bash completion of agtmux. Load it with: source <(agtmux completion bash)',
    '_agtmux() {',
    '  local cur prev at word',
    `  cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=agtmux COMPREPLY=()`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$at/$word" in',
    `      ${pathCases(points)}) at="$at/$word" ;;`,
    '    esac',
    '  done',
    '  case "$at:$prev" in',
    ...valueCases(points, 'COMPREPLY=($(compgen -f -- "$cur"))', reply),
    '  esac',
    '  case "$at" in',
    ...points.map((point) => `    ${point.path}) ${reply(wordsOf(point).join(' '))} ;;`),
    '  esac',
    '}',
    'complete -o default -F _agtmux agtmux',
    '',
  ].join('\n');
}

function zshScript(points: readonly CompletionPoint[]): string {
  return [
    '#compdef agtmux',
    '# zsh completion of agtmux. Write it to a file _agtmux in a folder of $fpath.',
    '_agtmux() {',
    '  local at=agtmux word',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$at/$word" in',
    `      ${pathCases(points)}) at="$at/$word" ;;`,
    '    esac',
    '  done',
    `  case "$at:\${words[CURRENT-1]}" in`,
    ...valueCases(points, '_files', (list) => `compadd -- ${list}`),
    '  esac',
    '  case "$at" in',
    ...points.map((point) => `    ${point.path}) compadd -- ${wordsOf(point).join(' ')} ;;`),
    '  esac',
    `  [[ "\${words[CURRENT]}" == -* ]] || _files`,
    '}',
    'if [ "$funcstack[1]" = "_agtmux" ]; then _agtmux "$@"; else compdef _agtmux agtmux; fi',
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

function fishScript(points: readonly CompletionPoint[]): string {
  const paths = points.map(({ path }) => path).join(' ');
  return [
    '# fish completion of agtmux. Load it with: agtmux completion fish | source',
    'function __agtmux_at',
    '  set -l at agtmux',
    '  for word in (commandline -opc)[2..-1]',
    `    contains -- "$at/$word" ${paths}; and set at "$at/$word"`,
    '  end',
    '  test "$at" = "$argv[1]"',
    'end',
    ...points.flatMap(fishLines),
    '',
  ].join('\n');
}

function fishLines({ path, command, options }: CompletionPoint): readonly string[] {
  const head = `complete -c agtmux -n '__agtmux_at ${path}'`;
  const words = (command.args?.[0]?.value.choices ?? []).join(' ');
  return [
    ...(command.commands ?? [])
      .filter((each: CompletedCommand) => !each.isAlias)
      .map(({ name, summary }) => `${head} -f -a ${name} -d ${quoted(summary)}`),
    ...(words === '' ? [] : [`${head} -f -a ${quoted(words)}`]),
    ...options.map(({ name, short, value, summary }) => {
      const letter = short === undefined ? '' : ` -s ${short}`;
      const choices =
        value?.choices === undefined ? '' : ` -f -a ${quoted(value.choices.join(' '))}`;
      const takes = value === undefined ? '' : ` -r${choices}`;
      return `${head} -l ${name}${letter}${takes} -d ${quoted(summary)}`;
    }),
  ];
}
