// The parser on a small program, and the real table of commands.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommandSpec, loadCommands, type Program } from './command.ts';
import { type ParsedLine, parse } from './parse.ts';
import { program } from './table.ts';

const run0 = async () => 0;
const text = { kind: 'text', label: 'PATH' } as const;

const smallCommands: readonly CommandSpec[] = [
  {
    name: 'copy',
    summary: '',
    run: run0,
    args: [
      { value: text, summary: '' },
      { value: text, summary: '', optional: true },
    ],
    options: [
      { name: 'every', value: { kind: 'duration', label: 'DURATION' }, summary: '' },
      { name: 'limit', value: { kind: 'count', label: 'N' }, summary: '' },
      { name: 'tag', value: text, repeated: true, summary: '' },
      {
        name: 'format',
        value: { kind: 'choice', label: 'FORMAT', choices: ['table', 'jsonl'] },
        summary: '',
      },
    ],
  },
  { name: 'group', summary: '', commands: [{ name: 'one', summary: '', run: run0 }] },
  {
    name: 'must',
    summary: '',
    run: run0,
    options: [{ name: 'type', required: true, value: text, summary: '' }],
  },
];

const loaded: string[] = [];
const small: Program = {
  name: 'tool',
  summary: '',
  run: run0,
  options: [
    { name: 'socket-path', short: 's', value: text, summary: '' },
    { name: 'json', short: 'j', summary: '' },
  ],
  lazyCommands: Object.fromEntries(
    smallCommands.map((command) => [
      command.name,
      async () => {
        loaded.push(command.name);
        return command;
      },
    ]),
  ),
  aliases: { 'group-one': ['group', 'one'] },
};

async function run(...tokens: string[]): Promise<Extract<ParsedLine, { kind: 'run' }>> {
  const parsed = await parse(small, tokens);
  if (parsed.kind !== 'run') throw new Error(`not to be run: ${JSON.stringify(parsed)}`);
  return parsed;
}

async function problem(...tokens: string[]): Promise<string> {
  const parsed = await parse(small, tokens);
  return parsed.kind === 'usage' ? parsed.problem : `no problem: ${parsed.kind}`;
}

describe('the parser', () => {
  it.each([
    [['--socket-path', '/x', 'copy', 'a']],
    [['--socket-path=/x', 'copy', 'a']],
    [['-s', '/x', 'copy', 'a']],
    [['-s/x', 'copy', 'a']],
    [['-s=/x', 'copy', 'a']],
    [['copy', '-s', '/x', 'a']],
    [['copy', 'a', '-s/x']],
  ])('reads %j as the same option, before and after the command', async (tokens) => {
    const { path, args, flags } = await run(...tokens);
    expect({ path, args, flags: { ...flags } }).toEqual({
      path: ['copy'],
      args: ['a'],
      flags: { 'socket-path': '/x' },
    });
  });

  it('takes everything after -- as an argument', async () => {
    expect((await run('copy', '--', '--json', '-s')).args).toEqual(['--json', '-s']);
  });

  it('takes a value that begins with a dash, but no known option as a value', async () => {
    expect((await run('copy', '-', '--tag', '-')).flags['tag']).toEqual(['-']);
    expect((await run('copy', 'a', '--tag', '-x')).flags['tag']).toEqual(['-x']);
    expect((await run('copy', 'a', '--tag=--json')).flags['tag']).toEqual(['--json']);
    expect(await problem('copy', 'a', '--tag', '--json')).toBe('--tag needs PATH');
    expect(await problem('copy', 'a', '--tag')).toBe('--tag needs PATH');
  });

  it('collects a repeated option, and takes the last of any other', async () => {
    expect((await run('copy', 'a', '--tag', '1', '--tag=2')).flags['tag']).toEqual(['1', '2']);
    expect((await run('copy', 'a', '--limit', '1', '--limit', '2')).flags['limit']).toBe(2);
  });

  it('joins switches of one letter with an option that takes the rest', async () => {
    expect({ ...(await run('-js', '/x')).flags }).toEqual({ json: true, 'socket-path': '/x' });
  });

  it('reads durations and counts as numbers', async () => {
    expect((await run('copy', 'a', '--every', '500ms', '--limit', '7')).flags).toMatchObject({
      every: 500,
      limit: 7,
    });
  });

  it.each([
    [['--jsno'], 'there is no option --jsno; did you mean --json?'],
    [['--nonsense'], 'there is no option --nonsense'],
    [['-x'], 'there is no option -x'],
    [['cpoy'], 'there is no command cpoy; did you mean copy?'],
    [['a b'], 'there is no command "a b"'],
    [['group'], 'group needs one of one'],
    [['group', 'onr'], 'there is no command onr; did you mean one?'],
    [['copy'], 'copy needs PATH'],
    [['copy', 'a', 'b', 'c'], 'copy takes no argument c'],
    [['group', 'one', 'x'], 'one takes no argument x'],
    [['--json=yes'], '--json takes no value'],
    [['copy', 'a', '--format', 'xml'], '--format xml: it is not one of table, jsonl'],
    [
      ['copy', 'a', '--every', '5'],
      '--every 5: it is not a duration such as 500ms, 10s, 5m, 2h or 1d',
    ],
    [['copy', 'a', '--limit', '-1'], '--limit -1: it is not a whole number such as 20'],
    [['must'], 'must needs --type'],
    [['copy', 'a', '--tag', '\x1b[31m'], 'no problem: run'],
  ])('answers %j with a sentence', async (tokens, sentence) => {
    expect(await problem(...tokens)).toBe(sentence);
  });

  it('gives help at every level, even when other arguments are wrong or missing', async () => {
    expect(await parse(small, ['-h'])).toMatchObject({ kind: 'help', path: [] });
    expect(await parse(small, ['copy', '--help'])).toMatchObject({ kind: 'help', path: ['copy'] });
    expect(await parse(small, ['help'])).toMatchObject({ kind: 'help', path: [] });
    expect(await parse(small, ['help', 'copy'])).toMatchObject({ kind: 'help', path: ['copy'] });
    expect(await parse(small, ['help', 'group', 'one'])).toMatchObject({ path: ['group', 'one'] });
    expect(await parse(small, ['help', 'group', 'two'])).toMatchObject({ kind: 'usage' });
    expect(await parse(small, ['group', '-h', '--nonsense'])).toMatchObject({ path: ['group'] });
    expect(await parse(small, ['-V'])).toEqual({ kind: 'version' });
  });

  it('does not take the names of object members for options', async () => {
    expect(await problem('--constructor')).toBe('there is no option --constructor');
    expect((await run('copy', 'a')).flags['constructor']).toBeUndefined();
  });

  it('never throws on any input', async () => {
    const token = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('--', '-', '-s', '--json', 'list', 'panes', '--state', 'watch', '--since'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 8 }), async (tokens) => {
        const { kind } = await parse(program, tokens);
        expect(['run', 'help', 'version', 'usage']).toContain(kind);
      }),
      { numRuns: 2_000 },
    );
  });

  it('loads only the command that is named, and none for help of the program', async () => {
    loaded.length = 0;
    await parse(small, ['--help']);
    expect(loaded).toEqual([]);
    await parse(small, ['-s', '/x', 'copy', 'must']);
    expect(loaded).toEqual(['copy']);
  });

  it('reads an alias as the words that it stands for', async () => {
    expect(await run('group-one', '--json')).toMatchObject({ path: ['group', 'one'] });
    expect(await problem('group-on')).toBe('there is no command group-on; did you mean group-one?');
  });
});

const withBelow = (command: CommandSpec): readonly CommandSpec[] => [
  command,
  ...(command.commands ?? []).flatMap(withBelow),
];

describe('the table of commands', async () => {
  const commands = await loadCommands(program);
  const all = commands.flatMap(withBelow);

  it('has each command under its own name', () => {
    expect(commands.map(({ name }) => name)).toEqual(Object.keys(program.lazyCommands));
  });

  it('gives no two options of one command the same name or letter', () => {
    const walk = (command: CommandSpec, taken: readonly string[]): void => {
      const own = (command.options ?? []).flatMap(({ name, short }) => [name, short ?? name]);
      const names = [...taken, ...new Set(own)];
      expect(new Set(names).size, command.name).toBe(names.length);
      for (const each of command.commands ?? []) walk(each, names);
    };
    walk({ ...program, commands }, ['help', 'h', 'version', 'V']);
  });

  it('has code or further commands behind every name, and a summary of each', () => {
    for (const { name, run: code, commands: below = [], summary } of all) {
      expect(code !== undefined || below.length > 0, name).toBe(true);
      expect(summary, name).not.toBe('');
    }
  });

  it('has examples for every command that runs, and each example parses', async () => {
    for (const { name, run: code, examples = [] } of all) {
      expect(examples.length > 0, name).toBe(code !== undefined);
      for (const line of examples) {
        const [, typed = ''] = /agtmux ([^|>)]*)/.exec(line) ?? [];
        // As a shell splits it: what stands in quotes is one word.
        const words = typed.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [];
        const parsed = await parse(
          program,
          words.map((word) => word.replaceAll(/['"]/g, '')),
        );
        expect(parsed, line).toMatchObject({ kind: 'run', command: { name } });
      }
    }
  });

  it.each([
    [['list']],
    [['list', '--state', 'running,idle']],
    [['--json', 'list', '--sort', 'age']],
  ])('reads %j as list panes', async (words) => {
    expect(await parse(program, words)).toMatchObject({ kind: 'run', path: ['list', 'panes'] });
  });

  it('still prints the help of list, and suggests a command of it', async () => {
    expect(await parse(program, ['list', '--help'])).toMatchObject({
      kind: 'help',
      path: ['list'],
    });
    expect(await parse(program, ['list', 'pans'])).toMatchObject({
      kind: 'usage',
      problem: 'there is no command pans; did you mean panes?',
    });
  });

  it('refuses a state that does not exist, in a list too, with the nearest one', async () => {
    for (const states of ['runing', 'idle,runing']) {
      expect(await parse(program, ['list', '--state', states])).toMatchObject({
        kind: 'usage',
        problem: expect.stringMatching(/did you mean running\?$/),
      });
    }
  });

  it('reads list-panes as list panes', async () => {
    const parsed = await parse(program, ['list-panes', '--state', 'running']);
    expect(parsed).toMatchObject({ kind: 'run', path: ['list', 'panes'] });
  });
});
