// `agtmux completion bash|zsh|fish`: a script that knows the table as it is in this version. It
// asks no daemon and starts no Node while the user types.

import type { Call, CommandSpec, OptionSpec, ValueSpec } from '../command.ts';
import { standardOptions } from '../parse.ts';

/** A place in the command line: the commands typed so far, and what may follow. */
interface Place {
  /** `agtmux/list/panes`. */
  readonly path: string;
  readonly command: CommandSpec;
  readonly options: readonly OptionSpec[];
}

export async function runCompletion(call: Call): Promise<number> {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  const shell = call.args[0] as keyof typeof scripts;
  call.io.writeOut(scripts[shell](placesOf(call.program, 'agtmux', standardOptions)));
  return 0;
}

function placesOf(
  command: CommandSpec,
  path: string,
  inherited: readonly OptionSpec[],
): readonly Place[] {
  const options = [...inherited, ...(command.options ?? [])];
  const below = (command.commands ?? []).flatMap((each) =>
    placesOf(each, `${path}/${each.name}`, options),
  );
  return [{ path, command, options }, ...below];
}

/** The words that may follow at a place. */
function wordsOf({ command, options }: Place): readonly string[] {
  return [
    ...(command.commands ?? []).map(({ name }) => name),
    ...(command.args?.[0]?.value.choices ?? []),
    ...options.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  ];
}

/** Values that are files on disk, by how help names them. */
const isFile = ({ label }: ValueSpec): boolean => label === 'PATH' || label === 'FILE';

/** Patterns of `place:option before the cursor` for a shell's case, with what is offered there. */
function valueCases(places: readonly Place[], files: string, words: (list: string) => string) {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ name, short, value }) => {
      if (value === undefined) return [];
      const pattern = [`${path}:--${name}`, ...(short ? [`${path}:-${short}`] : [])].join(' | ');
      const offered = isFile(value) ? files : words((value.choices ?? []).join(' '));
      return [`    ${pattern}) ${offered}; return ;;`];
    }),
  );
}

const pathCases = (places: readonly Place[]): string =>
  places
    .slice(1)
    .map(({ path }) => path)
    .join(' | ');

function bashScript(places: readonly Place[]): string {
  const reply = (list: string): string => `COMPREPLY=($(compgen -W "${list}" -- "$cur"))`;
  return [
    '# bash completion of agtmux. Load it with: source <(agtmux completion bash)',
    '_agtmux() {',
    '  local cur prev at word',
    `  cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=agtmux COMPREPLY=()`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$at/$word" in',
    `      ${pathCases(places)}) at="$at/$word" ;;`,
    '    esac',
    '  done',
    '  case "$at:$prev" in',
    ...valueCases(places, 'COMPREPLY=($(compgen -f -- "$cur"))', reply),
    '  esac',
    '  case "$at" in',
    ...places.map((place) => `    ${place.path}) ${reply(wordsOf(place).join(' '))} ;;`),
    '  esac',
    '}',
    'complete -o default -F _agtmux agtmux',
    '',
  ].join('\n');
}

function zshScript(places: readonly Place[]): string {
  return [
    '#compdef agtmux',
    '# zsh completion of agtmux. Write it to a file _agtmux in a folder of $fpath.',
    '_agtmux() {',
    '  local at=agtmux word',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$at/$word" in',
    `      ${pathCases(places)}) at="$at/$word" ;;`,
    '    esac',
    '  done',
    `  case "$at:\${words[CURRENT-1]}" in`,
    ...valueCases(places, '_files', (list) => `compadd -- ${list}`),
    '  esac',
    '  case "$at" in',
    ...places.map((place) => `    ${place.path}) compadd -- ${wordsOf(place).join(' ')} ;;`),
    '  esac',
    `  [[ "\${words[CURRENT]}" == -* ]] || _files`,
    '}',
    'if [ "$funcstack[1]" = "_agtmux" ]; then _agtmux "$@"; else compdef _agtmux agtmux; fi',
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

function fishScript(places: readonly Place[]): string {
  const paths = places.map(({ path }) => path).join(' ');
  return [
    '# fish completion of agtmux. Load it with: agtmux completion fish | source',
    'function __agtmux_at',
    '  set -l at agtmux',
    '  for word in (commandline -opc)[2..-1]',
    `    contains -- "$at/$word" ${paths}; and set at "$at/$word"`,
    '  end',
    '  test "$at" = "$argv[1]"',
    'end',
    ...places.flatMap(fishLines),
    '',
  ].join('\n');
}

function fishLines({ path, command, options }: Place): readonly string[] {
  const head = `complete -c agtmux -n '__agtmux_at ${path}'`;
  const words = (command.args?.[0]?.value.choices ?? []).join(' ');
  return [
    ...(command.commands ?? [])
      .filter(({ aliasOf }) => aliasOf === undefined)
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
