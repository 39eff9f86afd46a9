// Readers of listings and captures under any bytes; what a real tmux prints is in tests/live.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HUD_FIELD } from '../platform/text/hud-mark.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import { readCapture } from './capture.ts';
import {
  LISTED_MAX,
  listingCommand,
  listingReader,
  readClients,
  readOwnOptions,
  readPaneListing,
  shown,
} from './listing.ts';
import { chooseSession, readSessions } from './sessions.ts';

const replyOf = (text: string): Reply => ({
  kind: 'reply',
  ok: true,
  number: 1,
  flags: 1,
  lines: text.split('\n'),
});
const format = listingCommand()[3] ?? '';
const ids: Readonly<Record<string, string>> = {
  pid: '7',
  session_id: '$1',
  window_id: '@2',
  pane_id: '%3',
};
const foreign = /^(?:session_name|window_name|pane_title|pane_current_.*|@.*)$/;
const rowWith = (text: string, more: Readonly<Record<string, string>> = {}): string =>
  format
    .replaceAll(shown(HUD_FIELD), more[HUD_FIELD] ?? '0')
    .replace(
      /#\{(.*?)\}/g,
      (_all, field: string) => more[field] ?? ids[field] ?? (foreign.test(field) ? text : '1'),
    );

const hostile = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom('', '\n', '<>', '\n1 2 3', '%end 1 2 1', '$1 @2 %3', rowWith('x').slice(0, 12)),
);

test('any text in any field leaves every row whole', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (texts) => {
      const { panes, unreadCount } = readPaneListing(
        replyOf(texts.map((each) => rowWith(each)).join('\n')),
      );
      expect(unreadCount).toBe(0);
      expect(
        panes.map(({ title, currentPath, windowName }) => [title, currentPath, windowName]),
      ).toEqual(texts.map((text) => [text, text, text]));
    }),
  );
});

test('a sidebar is left out, and a pane that inherits its option is not', () => {
  const option = { '@agtmux_sidebar': '%3' };
  const rows = [rowWith('a', option), rowWith('b', { ...option, pane_id: '%4' })];
  const { panes, unreadCount } = readPaneListing(replyOf(rows.join('\n')));
  expect(panes.map(({ paneId }) => paneId)).toEqual(['%4']);
  expect(unreadCount).toBe(0);
});

test('a HUD is left out, and another floating pane is not', () => {
  const rows = [rowWith('a', { [HUD_FIELD]: '1' }), rowWith('b', { pane_id: '%4' })];
  const { panes } = readPaneListing(replyOf(rows.join('\n')));
  expect(panes.map(({ paneId, floating }) => [paneId, floating])).toEqual([['%4', true]]);
});

test('a listing of too many rows is cut', () => {
  const text = Array.from({ length: LISTED_MAX + 10 }, (_, index) =>
    rowWith('a', { pane_id: `%${index}` }),
  ).join('\n');
  const { panes, unreadCount } = readPaneListing(replyOf(text));
  expect([panes.length, panes.at(-1)?.paneId, unreadCount]).toEqual([
    LISTED_MAX,
    `%${LISTED_MAX - 1}`,
    0,
  ]);
});

test('a row that cannot be read is left out and counted', () => {
  const rows = [
    rowWith('a'),
    rowWith('b', { pane_id: 'x' }),
    rowWith('c', { pid: '' }),
    rowWith('d'),
  ];
  const { panes, unreadCount } = readPaneListing(replyOf(rows.join('\n')));
  expect([panes.map(({ title }) => title), unreadCount]).toEqual([['a', 'd'], 2]);
});

test('a row that was cut off is counted as one that cannot be read', () => {
  const text = [rowWith('a'), rowWith('b')].join('\n');
  for (const length of [text.length - 4, text.length - 60, rowWith('a').length + 40]) {
    const { panes, unreadCount } = readPaneListing(replyOf(text.slice(0, length)));
    expect([panes.map(({ title }) => title), unreadCount]).toEqual([['a'], 1]);
  }
  expect(readPaneListing(replyOf(text)).unreadCount).toBe(0);
});

test('an option counts only when its value is one that agents write', () => {
  const read = (text: string): unknown =>
    readPaneListing(replyOf(rowWith('', { '@agent_state': text }))).panes[0]?.options[
      '@agent_state'
    ];
  expect([read('running'), read(''), read('id:claude-hooks:3')]).toEqual([
    'running',
    null,
    'id:claude-hooks:3',
  ]);
  for (const bad of ['a\nb', 'é', '#{x}', '$x', 'x'.repeat(257), '\u001b[m']) {
    expect(read(bad)).toEqual({ invalid: true });
  }
});

test('no bytes make a reader throw', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => String.fromCharCode(...each));
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      for (const read of [readPaneListing, readClients, readOwnOptions, readSessions]) {
        expect(() => read(replyOf(one))).not.toThrow();
      }
      expect(() =>
        readCapture([replyOf(`80 24 0 0 1 0 0 7 ${one}`), replyOf(other)]),
      ).not.toThrow();
    }),
  );
});

test('a screen is read without colours, links and character sets', () => {
  const about = replyOf('80 24 3 1 0 1 2 77 a title with blanks');
  const ansi =
    '\u001b[1;38:2::1:2:3mred\u001b[0m \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u000elq\u000f\u001b(B|';
  expect(readCapture([about, replyOf(`${ansi}\n\n`)])).toMatchObject({
    lines: ['red link lq|', '', ''],
    cursor: { x: 3, y: 1, isVisible: false },
    alternateOn: true,
    inMode: true,
    panePid: 77,
    title: 'a title with blanks',
  });
  expect(readCapture([replyOf('      '), replyOf('x')])).toBeNull();
  expect(readCapture([about, { ...replyOf('no such pane'), ok: false }])).toBeNull();
});

test('the oldest session that may be attached to is chosen, another than the avoided one', () => {
  const sessions = readSessions(
    replyOf(
      [
        '$9 50 7 1 3.3a 0',
        '$2 40 7 1 3.3a 1',
        '$3 40 7 1 3.3a keep-last',
        '$5 45 7 1 3.3a off',
        '$4 45 7 1 3.3a 0',
        'rubbish',
      ].join('\n'),
    ),
  );
  expect(sessions).toHaveLength(5);
  expect(chooseSession(sessions, null)?.id).toBe('$4');
  expect(chooseSession(sessions, '$4')?.id).toBe('$5');
  expect(chooseSession(sessions, '$5')?.id).toBe('$4');
  expect(chooseSession(sessions.slice(0, 1), '$9')?.id).toBe('$9');
  expect(chooseSession(sessions.slice(1, 3), null)).toBeNull();
});

test('a listing that equals the last is given again as it was, and any other is read', () => {
  const read = listingReader();
  const first = read(replyOf(rowWith('a')));
  expect(read(replyOf(rowWith('a')))).toBe(first);
  expect(read(replyOf(rowWith('b'))).panes[0]?.title).toBe('b');
  expect(read(replyOf(`${rowWith('b')}\n${rowWith('b')}`)).panes).toHaveLength(2);
  expect(read({ ...replyOf(''), ok: false })).toEqual({ panes: [], unreadCount: 0 });
  expect(read(replyOf(rowWith('a')))).toEqual(first);
});
