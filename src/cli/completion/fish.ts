// The completion script for fish, which shows descriptions and asks for values by itself.

import type { ValueSpec } from '../command.ts';
import { type CompletionPoint, everyOption, isFile } from './points.ts';

export function fishScript(points: readonly CompletionPoint[]): string {
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
    ...points.flatMap(pointLines),
    '',
  ].join('\n');
}

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function pointLines(point: CompletionPoint): readonly string[] {
  const head = `complete -c agtmux -n '__agtmux_at ${point.path}'`;
  const [argument] = point.args;
  const given = argument === undefined ? '' : offers(argument.value);
  return [
    ...point.commands.map(({ name, summary }) => `${head} -f -a ${name} -d ${quoted(summary)}`),
    ...(given === '' ? [] : [`${head}${given}`]),
    ...[...point.options, ...everyOption].map(({ name, short, value, summary }) => {
      const letter = short === undefined ? '' : ` -s ${short}`;
      const takes = value === undefined ? '' : ` -r${offers(value)}`;
      return `${head} -l ${name}${letter}${takes} -d ${quoted(summary)}`;
    }),
  ];
}

/** The words of a value; nothing for a file, which fish completes, and for free text. */
function offers(value: ValueSpec): string {
  if (value.source !== undefined) {
    return ` -f -a '(agtmux completion --values ${value.source} 2>/dev/null)'`;
  }
  const words = value.choices ?? [];
  return words.length === 0 || isFile(value) ? '' : ` -f -a ${quoted(words.join(' '))}`;
}
