// What each agent does with texts and keys that are no plain prompt, as it was measured on the real
// programs or read in them. docs/acting.md has the same table for people.

import { expect, it } from 'vitest';
import { adapterOf } from '../../src/agents/registry.ts';
import { findKeyTrap, findTrap } from '../../src/agents/screen/acting-rules.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});
const actingOf = (agent: string) => {
  const acting = adapterOf(registry, agent)?.screen.acting;
  if (!acting) throw new Error(`${agent} is not typed to`);
  return acting;
};

const agents = ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'kilo', 'qwen'] as const;
/** In the order of `agents`; r: refused, b: a blank is added, -: typed as it is. */
const texts: readonly (readonly [text: string, outcomes: string])[] = [
  ['!ls', 'rr-r--r'],
  [' !ls', '-r-r--r'],
  ['! ls', 'rr-r--r'],
  ['/help', 'rrrrrrr'],
  ['/help me', 'rrrrrrr'],
  ['/mcp:list\nmore', 'rrrrrrr'],
  [' /help', 'r-rrrrr'],
  ['/etc/hosts is a file', '-------'],
  ['either/or', '-------'],
  ['exit', 'r--rrrr'],
  ['  quit ', 'r--rrrr'],
  [':q', 'r---rr-'],
  [':wq!', 'r------'],
  ['exit the loop', '-------'],
  ['a path like C:\\', 'b-br--r'],
  ['a path like C:\\ ', '-------'],
  ['look at @notes.txt', '-r-----'],
  ['@notes.txt is long', '-------'],
  ['# a heading', '-------'],
  ['what is it?', '-------'],
  ['&', '-------'],
];

it.each(texts)('%j is refused, mended or typed as each agent needs it', (text, outcomes) => {
  const found = agents.map((agent) => {
    const trap = findTrap(actingOf(agent), text);
    return trap === null ? '-' : trap.cure === 'blank' ? 'b' : 'r';
  });
  expect(found.join('')).toBe(outcomes);
});

const keys: readonly (readonly [keys: readonly string[], outcomes: string])[] = [
  [['C-c'], 'rrrrrrr'],
  [['C-d'], 'rrrrrrr'],
  [['C-z'], 'rrrrrrr'],
  [['C-y'], '--r---r'],
  [['C-M-c'], 'rrrrrrr'],
  [['C-M-y'], '--r---r'],
  [['M-y'], '-------'],
  [['M-Escape'], 'rr-----'],
  [['Escape'], '-------'],
  [['Escape', 'Escape'], 'rr-----'],
  [['Down', 'Enter'], '-------'],
];

it.each(keys)('the keys %j are refused where they do more than edit', (pressed, outcomes) => {
  const found = agents.map((agent) => (findKeyTrap(actingOf(agent), pressed) ? 'r' : '-'));
  expect(found.join('')).toBe(outcomes);
});

it('each agent has the time that its input box needs and the size that it takes whole', () => {
  expect(agents.map((agent) => actingOf(agent).settleMs)).toEqual([
    100, 100, 150, 100, 100, 100, 150,
  ]);
  expect(actingOf('copilot').textBytesMax).toBe(20_000);
});
