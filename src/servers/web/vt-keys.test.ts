// Keys by their names, everything else as it is, and nothing that a terminal reports by itself.

import { expect, it } from 'vitest';
import { partOfKeys } from './vt-keys.ts';

const partOf = (text: string) => partOfKeys(Buffer.from(text, 'latin1'));

it.each([
  ['\x1b[Z', 'BTab'],
  ['\x1bOA', 'Up'],
  ['\x1b[5~', 'PgUp'],
  ['\x1b[24~', 'F12'],
  ['\x1b', 'Escape'],
  ['\x7f', 'BSpace'],
])('%j is the key %s', (text, key) => {
  expect(partOf(text)).toEqual({ key });
});

it.each([
  'a',
  '\x1b[A\x1b[A',
  '\x1b[1;5C',
  '\x1b[1;2R',
  '\x1b[I',
  '\x1b[<0;1;1M',
  '\x1bb',
  'toString',
])('%j is typed as it is', (text) => {
  expect(partOf(text)).toEqual({ bytes: Buffer.from(text, 'latin1').toString('base64') });
});

it.each([
  ...['\x1b[?1;2c', '\x1b[>0;276;0c', '\x1b[12;40R', '\x1b[?2004;1$y', '\x1b[0n', '\x1b[?1u'],
  ...['\x1b]11;rgb:0000/0000/0000\x1b\\', '\x1b]10;rgb:ff/ff/ff\x07', '\x1bP>|xterm.js\x1b\\'],
])('%j is a report and is not typed', (text) => {
  expect(partOf(text)).toBeNull();
});
