// The user's tmux is the same before and after being watched: options, keys, environments, layouts,
// buffers, hooks and clients, around many operations with taps open, a kill and a polite end. The
// exceptions are these: our control clients show while they are there, and the
// `client-attached` hook fires.

import { describe, expect, test } from 'vitest';
import { isLong } from '../length.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing, type PrivateTmux } from '../live/tmux-server.ts';
import { fakeAgent, type LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const OPERATIONS = isLong ? 10_000 : 500;

/** Everything that a user could notice, each as tmux tells it. */
function everythingOf(tmux: PrivateTmux): Record<string, string> {
  const lines = (...args: readonly string[]): readonly string[] =>
    tmux
      .run(...args)
      .split('\n')
      .filter((line) => line !== '');
  const sessions = lines('list-sessions', '-F', '#{session_id}');
  const panes = lines('list-panes', '-a', '-F', '#{pane_id}');
  const windows = lines('list-windows', '-a', '-F', '#{window_id}');
  const buffers = lines('list-buffers', '-F', '#{buffer_name}');
  const all: Record<string, string> = {
    'global options': tmux.run('show-options', '-g'),
    'global hooks': tmux.run('show-hooks', '-g'),
    'global window hooks': tmux.run('show-hooks', '-gw'),
    'server options': tmux.run('show-options', '-s'),
    'global window options': tmux.run('show-options', '-gw'),
    keys: tmux.run('list-keys'),
    'root keys': tmux.run('list-keys', '-T', 'root'),
    'global environment': tmux.run('show-environment', '-g'),
    windows: tmux.run('list-windows', '-a', '-F', WINDOW_FORMAT),
    panes: tmux.run('list-panes', '-a', '-F', PANE_FORMAT),
    'sessions in order': tmux.run('list-sessions', '-F', SESSION_FORMAT),
    people: lines('list-clients', '-F', CLIENT_FORMAT)
      .filter((line) => line.startsWith('0'))
      .join('\n'),
  };
  for (const each of sessions) {
    all[`options of ${each}`] = tmux.run('show-options', '-t', each);
    all[`hooks of ${each}`] = tmux.run('show-hooks', '-t', each);
    all[`environment of ${each}`] = tmux.run('show-environment', '-t', each);
  }
  for (const each of windows)
    all[`options of ${each}`] = tmux.run('show-options', '-w', '-t', each);
  for (const each of panes) all[`options of ${each}`] = tmux.run('show-options', '-p', '-t', each);
  for (const each of buffers) all[`buffer ${each}`] = tmux.run('show-buffer', '-b', each);
  return all;
}

const WINDOW_FORMAT =
  '#{session_id} #{window_index} #{window_id} #{window_name} #{window_active} #{window_layout} ' +
  '#{window_width}x#{window_height} #{window_zoomed_flag} #{window_last_flag}';
const PANE_FORMAT =
  '#{pane_id} #{pane_width}x#{pane_height} #{pane_active} #{pane_in_mode} #{pane_pipe} ' +
  '#{pane_title} #{pane_dead} #{pane_synchronized} #{pane_pid}';
const CLIENT_FORMAT =
  '#{client_control_mode} #{client_name} #{session_id} #{client_width}x#{client_height} ' +
  '#{client_flags} #{client_key_table} #{client_readonly}';
const SESSION_FORMAT = '#{session_id} #{session_name} #{session_group} #{session_windows}';

/** A tmux that somebody has made their own. */
function ownTmux(tmux: PrivateTmux): void {
  tmux.newSession('main');
  tmux.run('split-window', '-t', '=main:', '-h', 'cat');
  tmux.run('new-window', '-t', '=main:', '-n', 'second', 'cat');
  for (const [name, value] of [
    ['DISPLAY', ':7'],
    ['SSH_AUTH_SOCK', '/tmp/agent.sock'],
  ] as const) {
    tmux.run('set-environment', '-t', '=main:', name, value);
  }
  tmux.run('bind-key', '-T', 'root', 'F9', 'display-message', 'mine');
  tmux.run('bind-key', '-T', 'own-table', 'x', 'kill-pane');
  tmux.run('set-option', '-g', 'status-right', '#(true) #{pid} %H:%M');
  tmux.run('set-option', '-g', '@mine', 'a "b" $c');
  tmux.run('set-buffer', '-b', 'first', 'kept;\n"text"');
  tmux.run('set-buffer', '-b', 'second', 'x'.repeat(5_000));
  tmux.run('set-hook', '-g', 'client-attached', 'set-option -gaF @attached x');
  tmux.run('set-option', '-g', '@attached', '');
}

/** Lists, explains, subscribes and captures: a changed screen is captured. */
async function operate(live: LiveDaemon, pane: LivePane, count: number): Promise<void> {
  const client = await live.client();
  const screens = ['claude/104-running', 'claude/111-waiting_approval', 'claude/101-idle'];
  for (let done = 0; done < count; done += 5) {
    if (done % 50 === 0) pane.show(screens[(done / 50) % screens.length] ?? '');
    using subscriber = new Subscriber(await live.client());
    await eventually(() => subscriber.rows.size > 0, 'a snapshot');
    await Promise.all([
      client.call('list_panes', {}),
      client.call('list_windows', {}),
      client.call('list_sessions', {}),
      client.call('explain', { ref: pane.paneId }),
    ]);
  }
}

describe.skipIf(isTmuxMissing)("the user's tmux", () => {
  test(
    `is unchanged by ${OPERATIONS} operations, a kill and a polite end`,
    async () => {
      await using live = new LiveDaemon({ attach: 'always' });
      const { tmux } = live;
      ownTmux(tmux);
      const pane = fakeAgent(tmux, 'claude', 'agent');
      const fragile = fakeAgent(tmux, 'claude', 'fragile');
      const idOf = (session: string): string =>
        tmux.run('display-message', '-p', '-t', `=${session}:`, '#{session_id}');
      await attachPerson(tmux, idOf('main'));
      await attachPerson(tmux, idOf('fragile'));
      // From now on it ends when the last of its clients leaves: we may never be one of them.
      tmux.run('set-option', '-t', '=fragile:', 'destroy-unattached', 'on');
      tmux.run('set-option', '-g', '@attached', '');
      pane.show('claude/101-idle');
      fragile.show('claude/104-running');
      await eventually(
        () =>
          [pane, fragile].every(
            (each) => each.format('#{pane_title} #{window_name}') === '✳ Claude Code claude',
          ) && tmux.run('display-message', '-p', '-t', '=main:^', '#{window_name}') === 'cat',
        'the screens are there, and tmux has renamed the windows by itself',
      );
      const before = everythingOf(tmux);

      const pid = await live.start();
      await eventually(
        () => tmux.run('list-clients').split('control-mode').length === 4,
        'two clients and a tap',
      );
      using subscriber = new Subscriber(await live.client());
      await subscriber.state(fragile.paneId, 'running');
      await operate(live, pane, OPERATIONS / 2);
      const clients = tmux.run('list-clients', '-F', '#{client_control_mode} #{session_name}');
      expect(clients).toContain('1 agent');
      expect(clients).not.toContain('1 fragile');
      await live.kill(pid, 'SIGKILL');
      await live.start();
      await operate(live, pane, OPERATIONS / 2);
      expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
      await eventually(() => !tmux.run('list-clients').includes('control-mode'), 'we have left');
      pane.show('claude/101-idle');
      await eventually(
        () => pane.format('#{pane_title}').includes('Claude'),
        'the screen is there',
      );

      // The documented exception: the user's own hook ran, once for each of our clients.
      const attached = tmux.run('show-options', '-gv', '@attached');
      expect(attached).toMatch(/^x+$/);
      tmux.run('set-option', '-g', '@attached', '');
      expect(everythingOf(tmux)).toEqual(before);
    },
    isLong ? 600_000 : 60_000,
  );
});
