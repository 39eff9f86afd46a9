// Options that stand in one row, and an input box without a prompt sign, as cline, auggie and pi
// draw them.

import { describe, expect, it } from 'vitest';
import { viewRecord } from '../../src/agents/classify/classify-pane.ts';
import { buildRegistry } from '../../src/agents/registry.ts';
import { isInputEmpty, judgeScreen } from '../../src/agents/screen/rules.ts';

const ESC = '\u001b';

function judge(file: object, lines: readonly string[], ansi?: string) {
  const content = { name: 'x', contract_version: '1', ...file };
  const registry = buildRegistry([{ file: 'x.toml', content }]);
  expect(registry.problems).toEqual([]);
  const view = viewRecord({
    capture: [...lines],
    ...(ansi === undefined ? {} : { capture_ansi: ansi }),
    pane_title: '',
    pane_current_command: 'x',
    cols: 80,
    rows: 24,
  });
  const { screen } = registry.adapters[0]!;
  const verdict = judgeScreen(screen, view);
  return verdict && { ...verdict, inputEmpty: isInputEmpty(screen, view) };
}

const rowOf = (match: string) => ({
  rules: [
    {
      id: 'x.ask',
      priority: 1,
      says: 'waiting_approval',
      all: [{ match }],
      extract: { options: { region: 'whole', match, split: true } },
    },
  ],
});

describe('buttons in one row', () => {
  const row = rowOf('^ {0,3}(\\[y\\] .*)$');
  const lit = `${ESC}[48;2;121;184;255m`;
  const ground = `${ESC}[48;2;29;32;33m`;

  it.each([
    ['the first', `${ground} ${lit} [y] Approve ${ground}  [n] Deny`, [true, false]],
    ['the second', `${ground}  [y] Approve  ${lit} [n] Deny`, [false, true]],
    ['none, where nothing tells', `${ground}  [y] Approve   [n] Deny`, [false, false]],
  ])('knows that %s is selected', (_, ansi, selected) => {
    const line = '  [y] Approve   [n] Deny';
    expect(judge(row, [line], ansi)?.details.options).toEqual([
      { label: '[y] Approve', selected: selected[0] },
      { label: '[n] Deny', selected: selected[1] },
    ]);
  });

  it('are parted before a letter key, with one blank between them', () => {
    const options = judge(rowOf('^ (\\[A\\].*)$'), [' [A]llow [D]eny'])?.details.options;
    expect(options?.map(({ label }) => label)).toEqual(['[A]llow', '[D]eny']);
  });
});

describe('an input box without a prompt sign', () => {
  const file = {
    regions: {
      upper: { before: '^──' },
      box: { within: 'upper', after: '^──' },
    },
    input: { region: 'box', prompt: '^' },
    rules: [{ id: 'x.rest', priority: 1, says: 'at_rest', all: [{ match: '^──' }] }],
  };

  it.each([
    ['empty', [''], true],
    ['filled', ['fix the test'], false],
    ['filled in a later line', ['', 'fix the test'], false],
  ])('is %s', (_, inside, expected) => {
    expect(judge(file, ['text', '─────', ...inside, '─────', 'foot'])?.inputEmpty).toBe(expected);
  });
});
