// The messages of tmux's own client, byte by byte.

import { expect, test } from 'vitest';
import {
  commandMessages,
  exitingMessage,
  ServerMessages,
  writeReadyMessage,
} from './client-message.ts';

const hex = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('hex');

/** A message of the server: its type and its data. */
function sent(type: number, data: string): string {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(type, 0);
  header.writeUInt16LE(16 + data.length, 4);
  return header.toString('latin1') + data;
}

test('a client greets its server in fixed sizes, then sends its arguments', () => {
  const bytes = Buffer.from(commandMessages(['list-panes', '-a'], 7) ?? '', 'latin1');
  const found: [number, number][] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt16LE(at + 4)) {
    found.push([bytes.readUInt32LE(at), bytes.readUInt16LE(at + 4) - 16]);
    expect(bytes.readUInt32LE(at + 8)).toBe(8);
    expect(bytes.readUInt32LE(at + 12)).toBe(7);
  }
  expect(found).toEqual([
    [100, 4],
    [111, 8],
    [101, 1],
    [109, 4],
    [102, 1],
    [108, 2],
    [107, 4],
    [106, 0],
    [200, 4 + 'list-panes\0-a\0'.length],
  ]);
  expect(bytes.toString('latin1').endsWith('\u0002\0\0\0list-panes\0-a\0')).toBe(true);
});

test('arguments that tmux would refuse or cut are not sent', () => {
  expect(commandMessages(['display-message', 'x'.repeat(17_000)], 7)).toBeNull();
  expect(commandMessages(['display-message', 'one\0two'], 7)).toBeNull();
});

test('replies of a client have the sizes that tmux expects', () => {
  expect(hex(writeReadyMessage(1, 7))).toBe(
    `31010000180000000800000007000000${'01000000'}00000000`,
  );
  expect(hex(exitingMessage(7))).toBe('cd000000100000000800000007000000');
});

test('what a server sends is read in whatever pieces it comes', () => {
  const stream = '\u0001\0\0\0';
  const all =
    sent(303, `${stream}\u0001\0\0\0\0\0\0\0-\0`) +
    sent(304, `${stream}one\n`) +
    sent(218, '\0\0\0\0\0\0\0\0') +
    sent(203, '\u0001\0\0\0');
  const messages = new ServerMessages();
  expect([...all].flatMap((byte) => messages.feed(byte))).toEqual([
    { kind: 'write-open', stream: 1 },
    { kind: 'write', stream: 1, bytes: 'one\n' },
    { kind: 'other' },
    { kind: 'exit', code: 1 },
  ]);
  expect(messages.feed(sent(203, ''))).toEqual([{ kind: 'exit', code: 0 }]);
  const ends = [sent(12, ''), sent(210, ''), sent(204, '')].join('');
  expect(messages.feed(ends).map(({ kind }) => kind)).toEqual(['version', 'shutdown', 'exited']);
});

test('bytes of something else are malformed and not waited for', () => {
  expect(new ServerMessages().feed('\xff'.repeat(16))).toEqual([{ kind: 'malformed' }]);
  expect(new ServerMessages().feed(sent(304, '\u0001'))).toEqual([{ kind: 'malformed' }]);
  expect(new ServerMessages().feed('\0'.repeat(16))).toEqual([{ kind: 'malformed' }]);
});
