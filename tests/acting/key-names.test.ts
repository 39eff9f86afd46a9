// The names of keys that `press` takes: each is a key to the tmux of this machine. It types any
// other word letter by letter, into an input box or into a dialog.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pressInputSchema } from '../../src/schema/api/acting.ts';
import { eventually, privateTmux } from '../live/tmux-server.ts';

const tmux = privateTmux();
afterAll(() => tmux[Symbol.dispose]());

const bare = [
  ...['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown', 'NPage', 'PPage'],
  ...['IC', 'DC', 'F1', 'F5', 'F12', 'Enter', 'Escape', 'Tab', 'BSpace', 'BTab', 'Space'],
  ...['a', 'z'],
];
const modifiers = ['', 'C-', 'M-', 'S-', 'C-M-', 'C-S-', 'M-S-', 'S-M-', 'M-C-', 'S-C-'];
const names = modifiers.flatMap((modifier) => bare.map((name) => `${modifier}${name}`));
const isTaken = (name: string): boolean =>
  pressInputSchema.safeParse({ ref: '%1', keys: [name] }).success;

it('a name that is taken is a key of tmux, and is typed by none of its letters', async () => {
  const taken = names.filter(isTaken);
  expect(taken.length).toBeGreaterThan(bare.length * 4);
  const file = join(tmux.folder, 'typed');
  writeFileSync(file, '');
  tmux.newSession('keys', `stty raw -echo; echo ready; exec cat >'${file}'`);
  const isReady = () => tmux.run('capture-pane', '-p', '-t', 'keys:').includes('ready');
  await eventually(isReady, 'it reads keys');
  const words = taken.flatMap((name) => [name, 'C-j']);
  tmux.run('send-keys', '-t', 'keys:', ...words);
  const typed = () => readFileSync(file, 'latin1').split('\n');
  await eventually(() => typed().length === taken.length + 1, 'all of them');
  const asText = taken.filter((name, at) => name.length > 1 && typed()[at] === name);
  expect(asText).toEqual([]);
});

it.each(['S-Tab', 'S-Enter', 'C-M-Escape', 'C-M-Tab', 'C-S-Space', 'Return', 'up', 'C-A', '-t'])(
  '%s is not taken',
  (name) => {
    expect(isTaken(name)).toBe(false);
  },
);
