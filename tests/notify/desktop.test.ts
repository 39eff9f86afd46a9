// The desktop: the real notify-send over a private bus, to a service that writes down what it
// shows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DesktopChannel } from '../../src/notify/channels/desktop.ts';
import type { UserNotification } from '../../src/schema/notify/user-notification.ts';
import { eventually } from '../live/tmux-server.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import { deliver, HOSTILE, item, notification } from './notification-fixture.ts';
import { recordedProgram } from './recorded-program.ts';

const missing = (process.env['AGTMUX_MISSING'] ?? '').split(',');
const isMissing = missing.includes('notify-send') || missing.includes('dbus-daemon');

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-desktop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

const PATH = process.env['PATH'] ?? '';

interface Desktop {
  readonly channel: DesktopChannel;
  readonly clicked: UserNotification[];
}

function channelWith(env: Readonly<Record<string, string>>, platform: NodeJS.Platform): Desktop {
  const clicked: UserNotification[] = [];
  const channel = new DesktopChannel({
    env,
    platform,
    uid: process.getuid?.() ?? 0,
    include: ['title', 'request'],
    onClick: (each) => clicked.push(each),
  });
  onTestFinished(() => channel[Symbol.dispose]());
  return { channel, clicked };
}

async function onBus(capabilities?: readonly string[]) {
  const desktop = new DbusDesktop(makeFolder(), capabilities);
  onTestFinished(() => desktop[Symbol.dispose]());
  await desktop.open();
  const env = { PATH, DBUS_SESSION_BUS_ADDRESS: desktop.address };
  return { desktop, ...channelWith(env, 'linux') };
}

describe.skipIf(isMissing)('a notification by notify-send', () => {
  it('is shown with its agent, kind, place, title and request, and nothing else', async () => {
    const { desktop, channel } = await onBus();
    expect(await deliver(channel)).toEqual({ kind: 'delivered', detail: null });
    expect(desktop.shown).toEqual([
      {
        id: 1,
        app: 'agtmux',
        summary: 'claude needs an approval',
        body: 'work:0.1 · fix the parser\nBash: rm -r build',
        actions: ['attach', 'Show'],
      },
    ]);
  });

  it('has no markup and no escape of a hostile title', async () => {
    const { desktop, channel } = await onBus();
    const hostile = item({ title: HOSTILE, request: HOSTILE, agent: '--help', place: '-x' });
    await deliver(channel, notification([hostile]));
    const text =
      '&lt;b&gt;bold&lt;/b&gt; &amp; &lt;!channel&gt; \\074i\\076 `id` $(id) "quote" ' +
      'dlrow red second; line *star* @here end';
    expect(desktop.shown[0]?.summary).toBe('--help needs an approval');
    expect(desktop.shown[0]?.body).toBe(`-x · ${text}\n${text}`);
  });

  it('calls back when its button is pressed, long after it was shown', async () => {
    const { desktop, channel, clicked } = await onBus();
    const first = notification();
    await deliver(channel, first);
    await deliver(channel, notification([item({ place: 'work:0.2' })], { number: 8 }));
    expect(clicked).toEqual([]);
    desktop.press(2, 'attach');
    await eventually(() => clicked.length === 1, 'the button was pressed');
    expect(clicked[0]?.number).toBe(8);
  });

  it('is shown without a button where the desktop has none', async () => {
    const { desktop, channel } = await onBus(['body']);
    expect(await deliver(channel)).toMatchObject({ kind: 'delivered' });
    expect(desktop.shown).toHaveLength(1);
  });

  it('leaves no more than eight processes that wait for a button', async () => {
    const { desktop, channel, clicked } = await onBus();
    for (let number = 1; number <= 10; number += 1) {
      await deliver(channel, notification([item()], { number }));
    }
    desktop.press(1, 'attach');
    desktop.press(10, 'attach');
    await eventually(() => clicked.length > 0, 'a button was pressed');
    expect(clicked.map(({ number }) => number)).toEqual([10]);
  });

  it('that no desktop takes is a failure with its reason, and is not repeated', async () => {
    const { channel } = channelWith({ PATH, XDG_RUNTIME_DIR: makeFolder() }, 'linux');
    const result = await deliver(channel);
    expect(result).toMatchObject({ kind: 'failed', mayRetry: false });
    expect(result.detail).toMatch(/^notify-send: there is no desktop session here/);
  });

  it('finds the bus of the user where the daemon has no variable for it', async () => {
    const folder = makeFolder();
    const desktop = await new DbusDesktop(folder).open();
    onTestFinished(() => desktop[Symbol.dispose]());
    const { channel } = channelWith({ PATH, XDG_RUNTIME_DIR: folder }, 'linux');
    expect(await deliver(channel)).toMatchObject({ kind: 'delivered' });
    expect(desktop.shown).toHaveLength(1);
  });
});

describe('other programs of the desktop', () => {
  it('a notify-send that knows no buttons is run without them', async () => {
    const old = recordedProgram(makeFolder(), 'notify-send', {
      script: 'case "$*" in *--action*) echo "Unknown option --print-id" >&2; exit 1;; esac',
    });
    const { channel } = channelWith({ PATH: `${old.folder}:${PATH}` }, 'linux');
    expect(await deliver(channel)).toMatchObject({ kind: 'delivered' });
    await deliver(channel);
    const plain = [
      ...['--app-name=agtmux', '--', 'claude needs an approval'],
      'work:0.1 · fix the parser\nBash: rm -r build',
    ];
    const [first, ...others] = old.calls();
    expect(first?.args).toContain('--action=attach=Show');
    expect(others.map(({ args }) => args)).toEqual([plain, plain]);
  });

  it('osascript gets hostile texts as arguments, never as a part of its script', async () => {
    const mac = recordedProgram(makeFolder(), 'osascript');
    const { channel } = channelWith({ PATH: `${mac.folder}:${PATH}` }, 'darwin');
    await deliver(channel, notification([item({ title: HOSTILE, agent: '" & quit & "' })]));
    expect(mac.calls().map(({ args }) => args)).toEqual([
      [
        ...['-e', 'on run argv'],
        ...['-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
        ...['-e', 'end run'],
        '--',
        '" & quit & " needs an approval',
        'work:0.1 · <b>bold</b> & <!channel> \\074i\\076 `id` $(id) "quote" dlrow red second; ' +
          'line *star* @here end\nBash: rm -r build',
      ],
    ]);
  });

  it('that are not installed are named, with the package that has them', async () => {
    const { channel } = channelWith({ PATH: makeFolder() }, 'linux');
    const result = await deliver(channel);
    expect(result.detail).toBe('notify-send is not installed (Debian: libnotify-bin)');
  });
});
