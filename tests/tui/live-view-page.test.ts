// docs/live-view.md lists every key of the one table of keys, in the same words.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { helpKeys, listActionOf } from '../../src/tui/key-table.ts';

it.each([
  ['Keys', helpKeys('list', true)],
  ['The inbox', helpKeys('inbox', true)],
  ['Messages', helpKeys('messages', true)],
  ['Teams', helpKeys('teams', true)],
])('the table below "%s" in docs/live-view.md is that of the help page', (title, keys) => {
  const page = readFileSync(join(root, 'docs', 'live-view.md'), 'utf8');
  const [, rest = ''] = page.split(`## ${title}\n`);
  const rows = rest
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(keys.map((each) => `| \`${each.keys}\` | ${each.does} |`));
});

it('every key of the list has one action', () => {
  for (const key of [
    'j',
    'k',
    'enter',
    'tab',
    ' ',
    'P',
    'z',
    ',',
    'f',
    'F',
    'w',
    '5',
    'wheel-up',
  ]) {
    expect(listActionOf(key), key).not.toBeNull();
  }
  expect(listActionOf('x')).toBeNull();
});
