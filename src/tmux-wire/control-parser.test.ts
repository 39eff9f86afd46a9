// tmux's control mode stream: replies by their own guards, notifications, any cut, any bytes.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, unescapeOctal } from './bytes.ts';
import { type ControlItem, controlParser } from './control-parser.ts';

const parse = (...chunks: readonly string[]): ControlItem[] => {
  const parser = controlParser();
  return chunks.flatMap((chunk) => parser.feed(chunk));
};

describe('replies', () => {
  test('a reply has its lines, and an error is a reply too', () => {
    const stream =
      '%begin 17 5 1\none\ntwo\n%end 17 5 1\n%begin 18 6 1\nno such pane\n%error 18 6 1\n';
    expect(parse(stream)).toEqual([
      { kind: 'reply', ok: true, number: 5, flags: 1, lines: ['one', 'two'] },
      { kind: 'reply', ok: false, number: 6, flags: 1, lines: ['no such pane'] },
    ]);
  });

  test('a line that looks like a guard or a notification stays a line of the reply', () => {
    const forged = ['%end 17 4 1', '%error 99 5 1', '%begin 17 5 1', '%output %1 x', '%exit', ''];
    expect(parse(`%begin 17 5 0\n${forged.join('\n')}\n%end 17 5 0\n`)).toEqual([
      { kind: 'reply', ok: true, number: 5, flags: 0, lines: forged },
    ]);
  });

  test('a screen that forges the end of its own capture is detected by the true end', () => {
    const stream = '%begin 17 5 1\nscreen\n%end 17 5 1\n%exit forged\n%end 17 5 1\n';
    expect(parse(stream)).toEqual([
      { kind: 'reply', ok: true, number: 5, flags: 1, lines: ['screen'] },
      { kind: 'exit', reason: 'forged' },
      { kind: 'desync' },
    ]);
  });

  test.each(['%end 1 2 1', '%error 1 2 0'])('"%s" with no reply open is a desync', (line) => {
    expect(parse(`${line}\n`)).toEqual([{ kind: 'desync' }]);
  });

  test('a reply that is too long is given up, and what follows is read', () => {
    const items = parse(
      '%begin 1 1 1\n',
      ...Array.from({ length: 40 }, () => `${'x'.repeat(999_999)}\n`),
      '%exit\n',
    );
    expect(items).toContainEqual({ kind: 'overflow', what: 'reply' });
    expect(items.at(-1)).toEqual({ kind: 'exit', reason: '' });
  });

  test('a line that is too long is given up', () => {
    const items = parse(...Array.from({ length: 5 }, () => 'x'.repeat(999_999)));
    expect(items).toEqual([{ kind: 'overflow', what: 'line' }]);
  });

  test('a reply of too many empty lines is given up', () => {
    const items = parse('%begin 1 1 1\n', ...Array.from({ length: 30 }, () => '\n'.repeat(99_999)));
    expect(items[0]).toEqual({ kind: 'overflow', what: 'reply' });
  });

  test('a long line in small pieces is put together once', () => {
    const startedMs = performance.now();
    const items = parse(
      '%message ',
      ...Array.from({ length: 30_000 }, () => 'x'.repeat(100)),
      '\n',
    );
    expect(items).toEqual([{ kind: 'message', text: 'x'.repeat(3_000_000) }]);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});

describe('notifications', () => {
  const table: readonly [string, ControlItem][] = [
    ['%output %3 a\\033[1mb\\134c', { kind: 'output', paneId: '%3', bytes: 'a\u001b[1mb\\c' }],
    ['%output %3 ', { kind: 'output', paneId: '%3', bytes: '' }],
    ['%extended-output %3 120 : x : y', { kind: 'output', paneId: '%3', bytes: 'x : y' }],
    ['%pause %3', { kind: 'pause', paneId: '%3' }],
    ['%continue %3', { kind: 'continue', paneId: '%3' }],
    ['%pane-mode-changed %3', { kind: 'pane-mode-changed', paneId: '%3' }],
    ['%window-add @1', { kind: 'window-add', windowId: '@1' }],
    ['%unlinked-window-close @1', { kind: 'window-close', windowId: '@1' }],
    ['%window-renamed @1 a b', { kind: 'window-renamed', windowId: '@1', name: 'a b' }],
    ['%window-pane-changed @1 %2', { kind: 'window-pane-changed', windowId: '@1', paneId: '%2' }],
    [
      '%layout-change @1 b25d,80x24 x',
      { kind: 'layout-change', windowId: '@1', layout: 'b25d,80x24 x' },
    ],
    ['%sessions-changed', { kind: 'sessions-changed' }],
    ['%session-changed $1 my work', { kind: 'session-changed', sessionId: '$1', name: 'my work' }],
    ['%session-renamed $1 new', { kind: 'session-renamed', sessionId: '$1', name: 'new' }],
    [
      '%session-window-changed $1 @2',
      { kind: 'session-window-changed', sessionId: '$1', windowId: '@2' },
    ],
    ['%client-detached /dev/pts/3', { kind: 'client-detached', client: '/dev/pts/3' }],
    [
      '%subscription-changed s $1 @1 0 %1 : v : w',
      { kind: 'subscription-changed', name: 's', value: 'v : w' },
    ],
    ['%paste-buffer-changed b', { kind: 'paste-buffer-changed', name: 'b' }],
    ['%message hello', { kind: 'message', text: 'hello' }],
    ['%exit server exited', { kind: 'exit', reason: 'server exited' }],
  ];
  test.each(table)('%s', (line, item) => {
    expect(parse(`${line}\n`)).toEqual([item]);
  });

  test.each(['', 'hello', '%newer-thing 1', '%output 3 x', '%pause x', '%toString', '%end 1 2'])(
    '"%s" is not recognised and does no harm',
    (line) => {
      expect(parse(`${line}\n`)).toEqual([{ kind: 'unrecognised', line }]);
    },
  );
});

const anyBytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => String.fromCharCode(...bytes));
const streamLike = fc
  .array(
    fc.oneof(
      anyBytes,
      fc.constantFrom('%begin 1 2 1\n', '%end 1 2 1\n', '%output %1 ', '\n', '\\0'),
    ),
  )
  .map((pieces) => pieces.join(''));

test('a stream is read the same however it is cut, and no bytes throw', () => {
  fc.assert(
    fc.property(streamLike, fc.array(fc.nat(40), { minLength: 1 }), (stream, cuts) => {
      const chunks: string[] = [];
      for (let from = 0, turn = 0; from < stream.length; turn += 1) {
        const length = 1 + (cuts[turn % cuts.length] ?? 0);
        chunks.push(stream.slice(from, from + length));
        from += length;
      }
      expect(parse(...chunks)).toEqual(parse(stream));
    }),
    { numRuns: 500 },
  );
});

test('bytes are decoded as UTF-8 as the platform does it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), anyBytes), (text) => {
      const bytes = Buffer.from(text.toWellFormed(), 'utf8').toString('latin1');
      expect(decodeUtf8(bytes)).toBe(text.toWellFormed());
      expect(() => decodeUtf8(text)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

test('bytes that are not UTF-8 become replacement characters and do not throw', () => {
  expect(decodeUtf8('a\xff\xc3b\xed\xa0\x80')).toMatch(/^a\ufffd\ufffdb\ufffd+$/);
  expect(unescapeOctal('\\999\\12\\400x')).toBe('\\999\\12\\400x');
});
