// The button of a desktop notification, end to end: a real daemon, the real notify-send over a
// private bus, and a real client of tmux that is switched to the pane.

import { describe, expect, it, onTestFinished } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { fakeAgent } from '../daemon-live/live-agents.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, privateTmux } from '../live/tmux-server.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import { recordedProgram } from './recorded-program.ts';

const missing = (process.env['AGTMUX_MISSING'] ?? '').split(',');
const isMissing = ['tmux', 'notify-send', 'dbus-daemon'].some((each) => missing.includes(each));

async function onDesktop(daemon: LiveDaemon): Promise<DbusDesktop> {
  const desktop = await new DbusDesktop(daemon.folder).open();
  onTestFinished(() => desktop[Symbol.dispose]());
  daemon.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address;
  return desktop;
}

const APPROVAL = 'claude/111-waiting_approval';

describe.skipIf(isMissing)('the button of a notification', () => {
  it('switches the client that was used last to the pane, and raises its window', async () => {
    await using daemon = new LiveDaemon();
    const desktop = await onDesktop(daemon);
    const raise = recordedProgram(daemon.folder, 'raise');
    daemon.configure(`[notify]\nenabled = true\nraise_with = ["${raise.path}", "kitty"]\n`);
    const { tmux } = daemon;
    tmux.newSession('shell');
    const pane = fakeAgent(tmux, 'claude', 'work');
    using terminal = privateTmux('terminal.sock');
    const attach = `env -u TMUX tmux -u -S '${tmux.socketPath}' attach-session -t shell`;
    terminal.newSession('terminal', attach);
    const session = () => tmux.run('list-clients', '-F', '#{session_name}');
    await eventually(() => session() === 'shell', 'a client is attached');
    await daemon.start();
    pane.show(APPROVAL);
    await eventually(() => desktop.shown.length > 0, 'the desktop is notified');
    expect(desktop.shown[0]).toMatchObject({
      summary: 'claude needs an approval',
      body: expect.stringMatching(/^work:0\.0 · .*\nBash command: rm -rf build/),
    });
    desktop.press(1, 'attach');
    await eventually(() => session() === 'work', 'the client shows the pane');
    await eventually(() => raise.calls().length > 0, 'the window is raised');
    expect(raise.calls().map(({ args }) => args)).toEqual([['kitty']]);
  });

  it('opens a terminal that attaches where no client is attached', async () => {
    await using daemon = new LiveDaemon();
    const desktop = await onDesktop(daemon);
    const terminal = recordedProgram(daemon.folder, 'terminal');
    daemon.configure(`[notify]\nenabled = true\nattach_with = ["${terminal.path}", "--"]\n`);
    const pane = fakeAgent(daemon.tmux, 'claude', 'work');
    await daemon.start();
    const client = await daemon.client();
    pane.show(APPROVAL);
    await eventually(() => desktop.shown.length > 0, 'the desktop is notified');
    desktop.press(1, 'attach');
    await eventually(() => terminal.calls().length > 0, 'the terminal is opened');
    const { panes } = await client.call('list_panes', { agent: 'claude' });
    expect(terminal.calls().map(({ args }) => args)).toEqual([
      [
        ...['--', process.execPath, ...builtProgram, 'attach'],
        ...['--socket-path', daemon.socketPath, panes[0]?.pane_key],
      ],
    ]);
  });
});
