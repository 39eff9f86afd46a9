// Options with a description beside them, and options left of a scroll bar: neither the second
// column nor what it wraps to is part of the label.

import { expect, it } from 'vitest';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { judgeScreen } from '../../src/agents/screen/rules.ts';

function labelsOf(match: string, capture: readonly string[], cols: number) {
  const rule = {
    id: 'x.rule',
    priority: 1,
    says: 'waiting_input',
    all: [{ region: 'whole', empty: false }],
    extract: { options: { region: 'whole', match } },
  };
  const content = { name: 'x', contract_version: '1', rules: [rule] };
  const registry = buildRegistry([{ file: 'x.toml', content }]);
  expect(registry.problems).toEqual([]);
  const view = viewRecord({
    capture: [...capture],
    pane_title: '',
    pane_current_command: 'x',
    cols,
    rows: 24,
  });
  const screen = registry.adapters[0]?.screen;
  return screen && judgeScreen(screen, view)?.details.options?.map(({ label }) => label);
}

it('a description in a second column that wraps is not taken into the label', () => {
  const lines = [
    '  › 1. Redis              In memory',
    '    2. None of the above  Add details in',
    '                          notes (tab).',
    '    3. Ask me once more, later on and in a',
    '       longer way',
  ];
  expect(labelsOf('^ +(?:(›) )?\\d\\. ((?:\\S| \\S)+)', lines, 44)).toEqual([
    'Redis',
    'None of the above',
    'Ask me once more, later on and in a longer way',
  ]);
});

it('a scroll bar at the right edge is a border', () => {
  const row = (text: string, bar: string) => `${text.padEnd(58)}${bar}`;
  const lines = [
    row('  › 1. Postgres', '█'),
    row('       Server database', '█'),
    row('    2. SQLite', '│'),
  ];
  expect(labelsOf('^ +(?:(›) )?\\d\\. (\\S.*)$', lines, 60)).toEqual(['Postgres', 'SQLite']);
});
