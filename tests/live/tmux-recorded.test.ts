// Streams recorded from tmux, read whole and byte by byte. See tests/fixtures/tmux/README.md.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from '../../src/tmux-wire/bytes.ts';
import { type ControlItem, controlParser } from '../../src/tmux-wire/control-parser.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../fixtures/tmux/${name}.txt`, import.meta.url), 'latin1');

const itemsOf = (name: string): ControlItem[] => {
  const stream = read(name);
  const whole = controlParser().feed(stream);
  const parser = controlParser();
  expect([...stream].flatMap((byte) => parser.feed(byte))).toEqual(whole);
  return whole;
};
const kinds = (items: readonly ControlItem[]): string[] => items.map(({ kind }) => kind);
const notices = (items: readonly ControlItem[]): string[] =>
  kinds(items.filter(({ kind }) => kind !== 'reply'));

describe('tmux 3.3a', () => {
  test.each(['3.3a-sessions', '3.3a-output', '3.3a-flow-control', '3.3a-server-end'])(
    'every line of %s is understood',
    (name) => {
      const found = new Set(kinds(itemsOf(name)));
      for (const kind of ['unrecognised', 'desync', 'overflow']) expect(found).not.toContain(kind);
      expect(itemsOf(name).at(-1)).toEqual({ kind: 'exit', reason: '' });
    },
  );

  test('the life of sessions and windows', () => {
    const items = itemsOf('3.3a-sessions');
    expect(notices(items)).toEqual([
      ...['session-changed', 'window-add', 'window-renamed', 'layout-change'],
      ...['window-pane-changed', 'session-window-changed', 'pane-mode-changed'],
      ...['pane-mode-changed', 'session-window-changed', 'window-close', 'window-add'],
      ...['window-renamed', 'window-renamed', 'window-close', 'session-renamed', 'window-add'],
      ...['sessions-changed', 'session-changed', 'session-changed', 'sessions-changed'],
      ...['window-close', 'subscription-changed', 'exit'],
    ]);
    expect(items).toContainEqual({ kind: 'window-renamed', windowId: '@2', name: 'new;name' });
    expect(items).toContainEqual({ kind: 'session-renamed', sessionId: '$0', name: 're named' });
    const notification = { kind: 'subscription-changed', name: 'sub', value: 'value : with colon' };
    expect(items).toContainEqual(notification);
  });

  test('errors are replies, and a forged exit stays in its reply', () => {
    const replies = itemsOf('3.3a-sessions').filter((item) => item.kind === 'reply');
    expect(replies.filter(({ ok }) => !ok).flatMap(({ lines }) => lines)).toEqual([
      "can't find session: nothing",
      'parse error: unknown command: nonsense',
    ]);
    expect(replies.map(({ lines }) => lines)).toContainEqual(['forged', '%exit']);
    expect(replies.map(({ flags }) => flags).indexOf(0)).toBe(0);
    expect(replies.filter(({ flags }) => flags === 0)).toHaveLength(1);
  });

  test('output comes back as the bytes that the program wrote', () => {
    const bytes = itemsOf('3.3a-output').flatMap((item) =>
      item.kind === 'output' ? [decodeUtf8(item.bytes)] : [],
    );
    expect(bytes[0]).toBe('tab\tback\\slash é 🦊');
    expect(bytes.at(-1)).toBe('\u001b]2;tit\u001b\\le\u0007\u001b]3008;state=running\u001b\\');
  });

  test('output under flow control is output; a pause on command stands in its reply', () => {
    const items = itemsOf('3.3a-flow-control');
    expect(items).toContainEqual({ kind: 'output', paneId: '%0', bytes: 'hello\r\n' });
    const lines = items.flatMap((item) => (item.kind === 'reply' ? item.lines : []));
    expect(lines).toEqual(['%pause %0', '%continue %0']);
  });
});

test('what newer versions send, as documented', () => {
  const items = itemsOf('documented');
  expect(kinds(items)).toEqual([
    ...['client-session-changed', 'client-detached', 'config-error', 'output', 'message'],
    ...['paste-buffer-changed', 'paste-buffer-deleted', 'subscription-changed'],
    ...['window-renamed', 'window-close', 'unrecognised'],
  ]);
  expect(items[3]).toEqual({ kind: 'output', paneId: '%3', bytes: 'bytes : more' });
});
