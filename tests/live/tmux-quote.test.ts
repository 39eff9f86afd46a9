// The encoder and the parser against a real tmux on a private socket: any text arrives unchanged.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlParser, type Reply } from '../../src/tmux-wire/control-parser.ts';
import { commandLine } from '../../src/tmux-wire/quote.ts';

const isMissing = (process.env['AGTMUX_MISSING'] ?? '').split(',').includes('tmux');

describe.skipIf(isMissing)('a real tmux', () => {
  let folder = '';
  let socket = '';
  let client: ChildProcessWithoutNullStreams;
  const waiting: ((reply: Reply) => void)[] = [];

  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });

  const ask = (...args: string[]): Promise<Reply> => {
    client.stdin.write(`${commandLine(args)}\n`);
    return new Promise((resolve) => waiting.push(resolve));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-live-'));
    socket = join(folder, 'tmux.sock');
    tmux('new-session', '-d', '-s', 'live', '-x', '80', '-y', '24', 'cat');
    const flags = ['-f', 'no-output,ignore-size', '-t', '=live:'];
    client = spawn('tmux', ['-S', socket, '-C', 'attach-session', '-E', ...flags]);
    const parser = controlParser();
    const attached = new Promise<Reply>((resolve) => waiting.push(resolve));
    client.stdout.setEncoding('latin1').on('data', (bytes: string) => {
      for (const item of parser.feed(bytes)) if (item.kind === 'reply') waiting.shift()?.(item);
    });
    expect((await attached).ok).toBe(true);
  });

  afterAll(async () => {
    const closed = new Promise((resolve) => client.once('close', resolve));
    tmux('kill-server');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  });

  const roundTrip = async (text: string): Promise<string> => {
    expect((await ask('set-buffer', '-b', 'try', '--', text)).ok).toBe(true);
    // In control mode tmux escapes what it shows; a process gets the bytes themselves.
    return tmux('save-buffer', '-b', 'try', '-');
  };

  // A buffer cannot be empty, and a NUL ends a string in C.
  const texts = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }))
    .map((text) => `x${text.replaceAll('\0', '').toWellFormed()}`);

  test('keeps any text byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await roundTrip(text)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    'a;b',
    ';',
    'a;',
    'kill-server',
    'x\nkill-server\n',
    'a"b\'c',
    '#{pid}',
    '$(x)',
    'do$llar',
    '$HOME',
    '~root',
    '~',
    '{ x }',
    '%if 1',
    '# no comment',
    'back\\slash\\',
    'tab\there',
    '\u001b[31mred',
    '\u001b]52;c;aGk=\u0007',
    '-t',
    'emoji 🦊 é',
  ])('keeps %j', async (text) => {
    expect(await roundTrip(text)).toBe(text);
    expect(tmux('list-sessions', '-F', '#{session_name}').trim()).toBe('live');
  });

  test('keeps a text of 20,000 characters', async () => {
    expect(await roundTrip('long ;'.repeat(4_000))).toBe('long ;'.repeat(4_000));
  });

  test('an error is a reply and the connection goes on', async () => {
    const refused = await ask('select-pane', '-t', '=nothing:');
    expect(refused).toMatchObject({ ok: false, lines: ["can't find session: nothing"] });
    expect((await ask('display-message', '-p', 'still here')).lines).toEqual(['still here']);
  });
});
