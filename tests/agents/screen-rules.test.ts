// The rule engine on screens made for the test: regions, marks, joined text, priorities, viewers,
// and what is read off a dialog.

import { describe, expect, it } from 'vitest';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { isInputEmpty, judgeScreen } from '../../src/agents/screen/rules.ts';

interface Shown {
  readonly lines: readonly string[];
  readonly title?: string;
  readonly ansi?: string;
  readonly cols?: number;
  readonly alternate?: '0' | '1';
}

const rule = (more: object) => ({ id: 'x.rule', priority: 1, says: 'running', ...more });

function judge(file: object, { lines, title = '', ansi, cols = 80, alternate }: Shown) {
  const content = { name: 'x', contract_version: '1', ...file };
  const registry = buildRegistry([{ file: 'x.toml', content }]);
  expect(registry.problems).toEqual([]);
  const view = viewRecord({
    capture: [...lines],
    ...(ansi === undefined ? {} : { capture_ansi: ansi }),
    ...(alternate === undefined ? {} : { alternate_on: alternate }),
    pane_title: title,
    pane_current_command: 'x',
    cols,
    rows: 24,
  });
  const { screen } = registry.adapters[0]!;
  const verdict = judgeScreen(screen, view);
  return verdict && { ...verdict, inputEmpty: isInputEmpty(screen, view) };
}

const holds = (condition: object, shown: Shown, file: object = {}): boolean =>
  judge({ ...file, rules: [rule({ all: [condition] })] }, shown) !== null;

describe('a region', () => {
  const lines = ['top', '────', 'inside', '', '────', 'foot', '', ''];
  const regions = {
    foot: { after: '^────' },
    upper: { before: '^────' },
    box: { within: 'upper', after: '^────' },
    from: { from: '^inside' },
    lost: { after: '^====' },
    loose: { after: '^====', optional: true },
    first: { first: 1 },
  };
  it.each([
    ['foot', '^foot$', true],
    ['foot', 'inside', false],
    ['box', 'inside', true],
    ['box', 'foot', false],
    ['from', '^inside$', true],
    ['lost', '.', false],
    ['loose', 'top', true],
    ['first', 'top', true],
    ['first', 'inside', false],
    ['last', '^foot$', true],
  ])('%s holds /%s/: %s', (region, match, expected) => {
    expect(holds({ region, match }, { lines }, { regions })).toBe(expected);
  });

  it('may be cut to its last lines that are not blank', () => {
    expect(holds({ lines: 2, match: 'inside' }, { lines })).toBe(false);
    expect(holds({ lines: 3, match: 'inside' }, { lines })).toBe(true);
  });

  it('never reaches into what lies above the last 200 lines', () => {
    const long = ['secret', ...Array.from({ length: 300 }, () => 'x')];
    expect(holds({ match: 'secret' }, { lines: long })).toBe(false);
  });
});

describe('a condition', () => {
  it('on the text joins what a narrow terminal wrapped', () => {
    const lines = ['│ Do you want to │', '│   proceed?     │'];
    expect(holds({ text: '^Do you want to proceed\\?$' }, { lines })).toBe(true);
    expect(holds({ match: 'Do you want to proceed' }, { lines })).toBe(false);
  });

  it('may ask for the title, the alternate screen and emptiness', () => {
    expect(holds({ title: '^⠋ ' }, { lines: ['x'], title: '⠋ proj' })).toBe(true);
    expect(holds({ alternate: true }, { lines: ['x'], alternate: '1' })).toBe(true);
    expect(holds({ region: 'whole', empty: true }, { lines: ['', ''] })).toBe(true);
  });

  it('cuts a line after 500 characters', () => {
    expect(holds({ match: 'end' }, { lines: [`${'x'.repeat(600)}end`] })).toBe(false);
  });
});

describe('rules', () => {
  it('are asked by priority, and `not` and marks hold them back', () => {
    const file = {
      marks: { dialog: { all: [{ match: '^\\? ' }] } },
      rules: [
        rule({ id: 'x.run', priority: 5, all: [{ match: 'busy' }], not: [{ mark: 'dialog' }] }),
        rule({ id: 'x.ask', priority: 9, says: 'waiting_input', all: [{ mark: 'dialog' }] }),
      ],
    };
    expect(judge(file, { lines: ['busy'] })?.rule.id).toBe('x.run');
    expect(judge(file, { lines: ['busy', '? which'] })?.rule.id).toBe('x.ask');
    expect(judge(file, { lines: ['nothing'] })).toBeNull();
  });

  it('of a viewer update nothing', () => {
    const viewer = { id: 'x.view', priority: 9, no_update: true, all: [{ match: 'transcript' }] };
    expect(judge({ rules: [viewer] }, { lines: ['transcript'] })?.says).toBeNull();
  });
});

describe('what is asked', () => {
  const file = {
    rules: [
      rule({
        says: 'waiting_approval',
        all: [{ match: 'proceed' }],
        extract: {
          question: { region: 'whole', text: '(Do you [^?]{1,80}\\?)' },
          options: { region: 'whole', match: '^ *(?:(❯) +)?\\d\\. +(\\S.*)$' },
        },
      }),
    ],
  };

  it('is read with its options, wrapped labels joined and descriptions left out', () => {
    const lines = [
      'Do you want to proceed?',
      '❯ 1. Yes',
      '     plain yes',
      '  2. Yes, and do not ask again',
      '     for this command',
      '  3. No',
    ];
    expect(judge(file, { lines, cols: 34 })?.details).toEqual({
      text: 'Do you want to proceed?',
      options: [
        { label: 'Yes', selected: true },
        { label: 'Yes, and do not ask again for this command', selected: false },
        { label: 'No', selected: false },
      ],
    });
  });

  it('may stand in one row, the selected label in a style of its own', () => {
    const buttons = {
      rules: [
        rule({
          all: [{ match: 'Allow' }],
          extract: { options: { region: 'whole', match: '^ *(Allow once .*)$', split: true } },
        }),
      ],
    };
    const lines = [' Allow once   Allow always   Reject'];
    const ansi = ' Allow once   \u001b[48;2;1;2;3mAllow always\u001b[0m   Reject';
    expect(judge(buttons, { lines, ansi })?.details.options).toEqual([
      { label: 'Allow once', selected: false },
      { label: 'Allow always', selected: true },
      { label: 'Reject', selected: false },
    ]);
  });
});

describe('the input box', () => {
  const file = {
    input: { region: 'whole', prompt: '^> ?', placeholder: '^Try ' },
    rules: [rule({ all: [{ match: '^>' }] })],
  };
  it.each<readonly [string, string, boolean]>([
    ['> ', '> ', true],
    ['> draft', '> draft', false],
    ['> Try "this"', '> Try "this"', true],
    ['> ghost', '> \u001b[7mg\u001b[0;2mhost\u001b[0m', true],
    ['> ghost', '> \u001b[4mg\u001b[0;38;5;8mhost\u001b[0m', true],
    ['> /draft', '> \u001b[38;5;8;7m/\u001b[27mdraft\u001b[0m', false],
    ['> x│', '> x\u001b[2m│\u001b[0m', false],
  ])('%j is empty: %s', (line, ansi, expected) => {
    expect(judge(file, { lines: [line], ansi })?.inputEmpty).toBe(expected);
  });
});
