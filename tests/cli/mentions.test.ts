// Commands and options that hints and help mention exist: a hint that names a command which was
// renamed or never built sends a person into a second error.

import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../src/cli/command.ts';
import { globalOptions } from '../../src/cli/options.ts';
import { program } from '../../src/cli/table.ts';
import { problems } from '../../src/schema/problem.ts';

/** What stands behind the name of the program in a sentence, not in a command. */
const verbs = new Set([
  ...['alone', 'cannot', 'continues', 'delivers', 'does', 'finds', 'from', 'gave', 'has'],
  ...['includes', 'keeps', 'never', 'reconnects', 'retries', 'rolls', 'supports', 'watches'],
]);

/** The first thing in a text that does not exist, or null. */
async function mentionFault(text: string): Promise<string | null> {
  for (const [, words = ''] of text.matchAll(/\bagtmux((?: (?:--)?[a-z][a-z-]*)+)/g)) {
    const [first = '', ...rest] = words.trim().split(' ');
    if (verbs.has(first)) continue;
    const command = await commandOf(first);
    if (command === null) return `agtmux ${first}`;
    const fault = restFault(command, rest);
    if (fault !== null) return `agtmux ${first}: ${fault}`;
  }
  return null;
}

async function commandOf(name: string): Promise<CommandSpec | null> {
  const [target = name] = program.aliases[name] ?? [name];
  return Object.hasOwn(program.lazyCommands, target)
    ? ((await program.lazyCommands[target]?.()) ?? null)
    : null;
}

/** Words after a command are subcommands and options as long as they can be. */
function restFault(command: CommandSpec, [word, ...rest]: readonly string[]): string | null {
  if (word === undefined) return null;
  if (word.startsWith('--')) {
    const known = [...globalOptions, ...(command.options ?? [])].map(({ name }) => name);
    return known.includes(word.slice(2)) ? restFault(command, rest) : word;
  }
  const inner = command.commands?.find(({ name }) => name === word);
  return inner === undefined ? null : restFault(inner, rest);
}

const textsOf = (command: CommandSpec): readonly string[] => [
  command.summary,
  ...(command.notes ?? []),
  ...(command.args ?? []).map(({ summary }) => summary),
  ...(command.options ?? []).map(({ summary }) => summary),
  ...(command.commands ?? []).flatMap(textsOf),
];

describe('commands and options that are mentioned', () => {
  it('in hints of errors exist', async () => {
    const faults = await Promise.all(
      problems.map(async ({ code, sentence, hint }) => {
        const fault = await mentionFault(`${sentence} ${hint}`);
        return fault === null ? null : `${code}: ${fault}`;
      }),
    );
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('in help exist', async () => {
    const commands = await Promise.all(Object.values(program.lazyCommands).map((load) => load()));
    const faults = await Promise.all(commands.flatMap(textsOf).map(mentionFault));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('are found missing', async () => {
    expect(await mentionFault('Run agtmux no-such, then go on.')).toBe('agtmux no-such');
    expect(await mentionFault('See agtmux history --no-such.')).toBe('agtmux history: --no-such');
    expect(await mentionFault('See agtmux daemon reset --keep-copy, or wait.')).toBeNull();
  });
});
