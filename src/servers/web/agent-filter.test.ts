// Patterns of strangers: what they choose, and which are refused before they cost anything.

import { expect, it } from 'vitest';
import { agentFilter } from './agent-filter.ts';

const filterOf = (includeSessionFilter: string) =>
  agentFilter({ type: 'list-agents', includeSessionFilter });

it.each([
  ['^wo', 'work', true],
  ['^(?:a|b){3}$', 'aba', true],
  ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '00000000-0000-0000-0000-000000000000', true],
  ['^\\d{4}-\\d{2}$', '2026-1', false],
  ['x{2,}', 'xx', true],
])('the pattern %j for %j: %s', async (pattern, name, isShown) => {
  const filter = await filterOf(pattern);
  expect('error' in filter ? filter.error : filter({ name, workDir: '/' })).toBe(isShown);
});

it.each([
  ['many repetitions', '(\\pL{1,1000})'.repeat(70)],
  ['a group of repetitions', '((\\pL?){44}){44}'],
  ['a group that is repeated', '(?i)(\\pL?){1000}'],
  ['a number beyond every count', 'a{99999999999999999999}'],
])('%s: refused before it is compiled', async (_what, pattern) => {
  expect(await filterOf(pattern)).toEqual({
    error: 'invalid session include filter: it repeats too much',
  });
});

it('a pattern that is long or is none is refused with its reason', async () => {
  expect(await filterOf('x'.repeat(1_025))).toMatchObject({
    error: 'invalid session include filter: more than 1024 characters',
  });
  expect(await filterOf('(')).toMatchObject({ error: expect.stringContaining('include filter: ') });
});
