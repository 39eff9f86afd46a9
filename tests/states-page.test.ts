// docs/states.md explains every word that an answer can hold, and no others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { stateMarks } from '../src/platform/text/status-counts.ts';
import { outageCodes } from '../src/schema/api/targets.ts';
import { attentionKinds, reasonCodes } from '../src/schema/state.ts';
import { needKinds } from '../src/text/need.ts';
import { states } from '../src/text/state-words.ts';

const page = readFileSync(join(root, 'docs/states.md'), 'utf8');

/** The cells of each row of the table below a heading, without its head. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const plain = (cell = ''): string => cell.replaceAll('`', '');
const column = (heading: string, index: number): readonly string[] =>
  rowsBelow(heading).map((row) => plain(row[index]));

it('every state is explained with its mark, in the order of precedence', () => {
  expect(column('States', 1)).toEqual(states);
  expect(column('States', 0)).toEqual(states.map((state) => stateMarks[state]?.[0]));
  const narrow = states.map((state) => stateMarks[state]?.[1]).join(' ');
  expect(page).toContain(`\`${narrow}\``);
});

it('every kind of attention is explained, what needs a person by its urgency', () => {
  const kinds = column('What needs you', 0);
  expect(kinds.slice(0, needKinds.length)).toEqual(needKinds);
  expect(kinds.toSorted()).toEqual(attentionKinds.toSorted());
});

it('every reason is explained once', () => {
  expect(column('Reasons', 0).toSorted()).toEqual(reasonCodes.toSorted());
});

it('every outage is explained once', () => {
  expect(column('Machines and servers that are gone', 0).toSorted()).toEqual(
    outageCodes.toSorted(),
  );
});
