// Options of framed and coloured dialogs: borders are no part of a label, and where no pointer
// stands before an option, the one on a ground of its own is selected.

import { describe, expect, it } from 'vitest';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { judgeScreen } from '../../src/agents/screen/rules.ts';
import { plainLines } from '../../src/agents/screen/styled-lines.ts';

function optionsOf(pick: object, ansi: readonly string[], cols = 80) {
  const rule = {
    id: 'x.rule',
    priority: 1,
    says: 'waiting_input',
    all: [{ region: 'whole', empty: false }],
    extract: { options: { region: 'whole', ...pick } },
  };
  const content = { name: 'x', contract_version: '1', rules: [rule] };
  const registry = buildRegistry([{ file: 'x.toml', content }]);
  expect(registry.problems).toEqual([]);
  const view = viewRecord({
    capture: [...plainLines(ansi.join('\n'))],
    capture_ansi: ansi.join('\n'),
    pane_title: '',
    pane_current_command: 'x',
    cols,
    rows: 24,
  });
  const screen = registry.adapters[0]?.screen;
  return screen && judgeScreen(screen, view)?.details.options;
}

describe('options', () => {
  it('in a frame are read without its borders, wrapped or not', () => {
    const lines = [
      '│ ❯ 1. Yes                       │',
      '│   2. Yes, and do not ask again │',
      '│   for this command             │',
      '│   3. No                        │',
      '│                                │',
      '│ esc to cancel                  │',
    ];
    expect(optionsOf({ match: '^│ +(?:(❯) )?\\d\\. (\\S.*)$' }, lines, 34)).toEqual([
      { label: 'Yes', selected: true },
      { label: 'Yes, and do not ask again for this command', selected: false },
      { label: 'No', selected: false },
    ]);
  });

  it('without a pointer are selected by their ground', () => {
    const row = (text: string) => `┃  ${text}                    `;
    const lit = '\u001b[48;2;30;30;30m2. SQLite\u001b[49m';
    const lines = [row('1. Postgres'), row(lit), row('3. Other')];
    expect(optionsOf({ match: '^┃ +\\d\\. (\\S.*)$' }, lines)).toEqual([
      { label: 'Postgres', selected: false },
      { label: 'SQLite', selected: true },
      { label: 'Other', selected: false },
    ]);
  });

  it('are all unselected where nothing distinguishes them', () => {
    expect(optionsOf({ match: '^\\d\\. (\\S.*)$' }, ['1. Yes', '2. No'])).toEqual([
      { label: 'Yes', selected: false },
      { label: 'No', selected: false },
    ]);
  });

  it('that are buttons on grounds of their own have the odd one selected', () => {
    const button = (label: string, ground: number) => `\u001b[48;5;${ground}m ${label} \u001b[49m `;
    const lines = [`  ${button('Yes', 7)}${button('Always', 3)}${button('No', 7)}`];
    expect(optionsOf({ match: '(Yes +Always +No)', split: true }, lines)).toEqual([
      { label: 'Yes', selected: false },
      { label: 'Always', selected: true },
      { label: 'No', selected: false },
    ]);
  });

  it('that are two buttons have one selected', () => {
    const lines = ['  \u001b[48;2;9;9;9m Confirm \u001b[49m  Cancel                 enter'];
    expect(optionsOf({ match: '(Confirm +Cancel)', split: true }, lines)).toEqual([
      { label: 'Confirm', selected: true },
      { label: 'Cancel', selected: false },
    ]);
  });
});
