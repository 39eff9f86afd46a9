// Commands and sounds: real programs that write down what they are given.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandChannel } from '../../src/notify/channels/command.ts';
import { SoundChannel } from '../../src/notify/channels/sound.ts';
import { notifySchema } from '../../src/schema/notify/notify-config.ts';
import { deliver, HOSTILE, item, notification } from './notification-fixture.ts';
import { recordedProgram } from './recorded-program.ts';

const PATH = process.env['PATH'] ?? '';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function command(run: readonly string[], include: readonly string[] = [], timeoutMs?: number) {
  const config = notifySchema.parse({ command: { script: { run, include } } }).command['script'];
  if (!config) throw new Error('no command');
  const limits = timeoutMs === undefined ? {} : { timeoutMs };
  return new CommandChannel({ name: 'script', config, env: { PATH }, ...limits });
}

describe('a command', () => {
  it('gets its own arguments as they are, and what happened as variables and JSON', async () => {
    const program = recordedProgram(makeFolder(), 'script');
    const run = [program.path, 'a b', '$(touch x)', '*'];
    expect(await deliver(command(run))).toEqual({ kind: 'delivered', detail: null });
    const [call] = program.calls();
    expect(call?.args).toEqual(['a b', '$(touch x)', '*']);
    expect(call?.env).toMatchObject({
      AGTMUX_KIND: 'approval',
      AGTMUX_AGENT: 'claude',
      AGTMUX_PLACE: 'work:0.1',
      AGTMUX_REF: 'work:0.1',
      AGTMUX_HEADLINE: 'claude needs an approval',
      AGTMUX_COUNT: '1',
      AGTMUX_TEST: '',
    });
    expect(JSON.parse(call?.input ?? '')).toMatchObject({
      headline: 'claude needs an approval',
      requests: [{ kind: 'approval', agent: 'claude', place: 'work:0.1' }],
    });
    const texts = ['fix the parser', 'rm -r build', 'whole prompt', 'last words', 'secret-project'];
    const shown = JSON.stringify(call);
    expect(texts.filter((text) => shown.includes(text))).toEqual([]);
  });

  it('gets a hostile title in JSON as it was, and in variables without control bytes', async () => {
    const program = recordedProgram(makeFolder(), 'script');
    const hostile = item({ title: `${HOSTILE}\u0000`, agent: 'x\u0000y' });
    await deliver(command([program.path], ['title']), notification([hostile]));
    const [call] = program.calls();
    expect(JSON.parse(call?.input ?? '').requests[0].title).toBe(`${HOSTILE}\u0000`);
    const text = call?.env['AGTMUX_TEXT'] ?? '';
    expect([...text].filter((each) => each < ' ' || (each > '~' && each < '\u00a0'))).toEqual([]);
    expect(call?.env['AGTMUX_AGENT']).toBe('xy');
  });

  it('of a digest gets every request, and no variable of a single one', async () => {
    const program = recordedProgram(makeFolder(), 'script');
    const items = [item(), item({ kind: 'completion', agent: 'codex', place: 'work:1.0' })];
    await deliver(command([program.path]), notification(items, { moreCount: 3 }));
    const [call] = program.calls();
    expect(call?.env).toMatchObject({ AGTMUX_COUNT: '5', AGTMUX_KIND: '', AGTMUX_REF: '' });
    expect(JSON.parse(call?.input ?? '')).toMatchObject({ more: 3, requests: [{}, {}] });
    expect(call?.env['AGTMUX_TEXT']).toBe(
      'claude needs an approval · work:0.1\ncodex is done · work:1.0\nand 3 more',
    );
  });

  it('that fails, is not there or does not end has failed for good, with its reason', async () => {
    const folder = makeFolder();
    const failing = recordedProgram(folder, 'failing', { script: 'echo "kein Gerät" >&2; exit 3' });
    const endless = recordedProgram(folder, 'endless', { script: 'sleep 600 & wait' });
    const details = [
      await deliver(command([failing.path])),
      await deliver(command([join(folder, 'absent')])),
      await deliver(command([endless.path], [], 300)),
    ];
    expect(details).toEqual([
      { kind: 'failed', detail: 'failing: kein Gerät', mayRetry: false },
      { kind: 'failed', detail: expect.stringContaining('absent: '), mayRetry: false },
      { kind: 'failed', detail: 'endless did not end in time', mayRetry: false },
    ]);
  });
});

describe('a sound', () => {
  it('is played by the player that is configured, with the file as its last argument', async () => {
    const player = recordedProgram(makeFolder(), 'player');
    const words = [player.path, '--volume', '50%'];
    const sound = new SoundChannel({ file: '/s/a b.wav', player: words, env: { PATH } });
    expect(await deliver(sound)).toMatchObject({ kind: 'delivered' });
    expect(player.calls().map(({ args }) => args)).toEqual([['--volume', '50%', '/s/a b.wav']]);
  });

  it('is played by the first player that is installed', async () => {
    const player = recordedProgram(makeFolder(), 'aplay');
    const env = { PATH: `${player.folder}:/bin:/usr/bin` };
    const sound = new SoundChannel({ file: '/s/x.wav', player: [], env });
    expect(await deliver(sound)).toMatchObject({ kind: 'delivered' });
    expect(player.calls().map(({ args }) => args)).toEqual([['-q', '/s/x.wav']]);
  });

  it('without a player, or of a player that fails, is a failure with its reason', async () => {
    const folder = makeFolder();
    const failing = recordedProgram(folder, 'paplay', { script: 'echo "no sink" >&2; exit 1' });
    const env = { PATH: folder };
    const results = [
      await deliver(new SoundChannel({ file: '/s/x.wav', player: [], env })),
      await deliver(new SoundChannel({ file: '/s/x.wav', player: [failing.path], env: { PATH } })),
    ];
    expect(results.map(({ detail }) => detail)).toEqual([
      'no player is installed; [notify] player names one',
      'paplay: no sink',
    ]);
  });
});
