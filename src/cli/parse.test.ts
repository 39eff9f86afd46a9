// The parser on a small table of its own, and on the real one where that is the point.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from './command.ts';
import { type Parsed, parse } from './parse.ts';
import { program } from './table.ts';

const run0 = async () => 0;
const text = { kind: 'text', label: 'PATH' } as const;

const small: CommandSpec = {
  name: 'tool',
  summary: '',
  run: run0,
  options: [
    { name: 'socket-path', short: 's', value: text, summary: '' },
    { name: 'json', short: 'j', summary: '' },
  ],
  commands: [
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
  ],
};

function run(...tokens: string[]): Extract<Parsed, { kind: 'run' }> {
  const parsed = parse(small, tokens);
  if (parsed.kind !== 'run') throw new Error(`not to be run: ${JSON.stringify(parsed)}`);
  return parsed;
}

function problem(...tokens: string[]): string {
  const parsed = parse(small, tokens);
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
  ])('reads %j as the same option, before and after the command', (tokens) => {
    const { path, args, flags } = run(...tokens);
    expect({ path, args, flags: { ...flags } }).toEqual({
      path: ['copy'],
      args: ['a'],
      flags: { 'socket-path': '/x' },
    });
  });

  it('takes everything after -- as an argument', () => {
    expect(run('copy', '--', '--json', '-s').args).toEqual(['--json', '-s']);
  });

  it('takes - and a value that begins with a dash, and refuses a known option as a value', () => {
    expect(run('copy', '-', '--tag', '-').flags['tag']).toEqual(['-']);
    expect(run('copy', 'a', '--tag', '-x').flags['tag']).toEqual(['-x']);
    expect(run('copy', 'a', '--tag=--json').flags['tag']).toEqual(['--json']);
    expect(problem('copy', 'a', '--tag', '--json')).toBe('--tag needs PATH');
    expect(problem('copy', 'a', '--tag')).toBe('--tag needs PATH');
  });

  it('collects a repeated option, and takes the last of any other', () => {
    expect(run('copy', 'a', '--tag', '1', '--tag=2').flags['tag']).toEqual(['1', '2']);
    expect(run('copy', 'a', '--limit', '1', '--limit', '2').flags['limit']).toBe(2);
  });

  it('joins switches of one letter with an option that takes the rest', () => {
    expect({ ...run('-js', '/x').flags }).toEqual({ json: true, 'socket-path': '/x' });
  });

  it('reads durations and counts as numbers', () => {
    expect(run('copy', 'a', '--every', '500ms', '--limit', '7').flags).toMatchObject({
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
    [['copy', 'a', '--format', 'xml'], '--format xml: it is one of table, jsonl'],
    [['copy', 'a', '--every', '5'], '--every 5: write a duration, as 500ms, 10s, 5m, 2h or 1d'],
    [['copy', 'a', '--limit', '-1'], '--limit -1: write a whole number, as 20'],
    [['must'], 'must needs --type'],
    [['copy', 'a', '--tag', '\x1b[31m'], 'no problem: run'],
  ])('answers %j with a sentence', (tokens, sentence) => {
    expect(problem(...tokens)).toBe(sentence);
  });

  it('gives help at every level, whatever else is wrong or missing after it', () => {
    expect(parse(small, ['-h'])).toMatchObject({ kind: 'help', path: [] });
    expect(parse(small, ['copy', '--help'])).toMatchObject({ kind: 'help', path: ['copy'] });
    expect(parse(small, ['group', '-h', '--nonsense'])).toMatchObject({ path: ['group'] });
    expect(parse(small, ['-V'])).toEqual({ kind: 'version' });
  });

  it('does not take the names of object members for options', () => {
    expect(problem('--constructor')).toBe('there is no option --constructor');
    expect(run('copy', 'a').flags['constructor']).toBeUndefined();
  });

  it('never throws, whatever is typed', () => {
    const token = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('--', '-', '-s', '--json', 'list', 'panes', '--state', 'watch', '--since'),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        expect(['run', 'help', 'version', 'usage']).toContain(parse(program, tokens).kind);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the table', () => {
  const all = (command: CommandSpec): readonly CommandSpec[] => [
    command,
    ...(command.commands ?? []).flatMap(all),
  ];

  it('gives no two options of one command the same name or letter', () => {
    const walk = (command: CommandSpec, taken: readonly string[]): void => {
      const own = (command.options ?? []).flatMap(({ name, short }) => [name, short ?? name]);
      const names = [...taken, ...new Set(own)];
      expect(new Set(names).size, command.name).toBe(names.length);
      for (const each of command.commands ?? []) walk(each, names);
    };
    walk(program, ['help', 'h', 'version', 'V']);
  });

  it('has code or further commands behind every name, and a sentence for each', () => {
    for (const { name, run: code, commands, summary } of all(program)) {
      expect(code !== undefined || (commands ?? []).length > 0, name).toBe(true);
      expect(summary, name).not.toBe('');
    }
  });

  it('knows list-panes as another name of list panes', () => {
    const parsed = parse(program, ['list-panes', '--state', 'running']);
    expect(parsed).toMatchObject({ kind: 'run', path: ['list', 'panes'] });
  });
});
