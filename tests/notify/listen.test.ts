// `agtmux notify listen` in real terminals: what it writes into a pane of tmux, and what of that
// reaches the terminal around tmux.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';

const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command line that runs agtmux with the daemon of the lab. */
function commandLine(daemon: LiveDaemon, ...args: readonly string[]): string {
  const variables = Object.entries(daemon.env).map(([name, value]) => `${name}=${value}`);
  const words = ['env', ...variables, process.execPath, ...builtProgram, ...args];
  return words.map(shellWord).join(' ');
}

/** Everything that programs in a pane write from now on, as bytes. */
function writtenTo(
  daemon: Pick<LiveDaemon, 'folder'>,
  run: (...args: string[]) => string,
  pane: string,
) {
  const file = join(daemon.folder, `written-${pane.replaceAll(/\W/g, '')}`);
  run('pipe-pane', '-O', '-t', pane, `cat > '${file}'`);
  return (): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
}

async function listening(daemon: LiveDaemon): Promise<void> {
  const client = await daemon.client();
  await eventually(async () => {
    const { listeners } = await client.call('notify_status', {});
    return listeners > 0;
  }, 'agtmux notify listen listens');
}

describe.skipIf(isTmuxMissing)('agtmux notify listen', () => {
  it('writes the sequences of its terminal, the bell and a line', async () => {
    await using daemon = new LiveDaemon();
    const { tmux } = daemon;
    const words = ['notify', 'listen', '--with', 'osc9,osc777,bell'];
    const pane = tmux.newSession('shell', 'cat');
    await daemon.start();
    const written = writtenTo(daemon, tmux.run, pane);
    // As in a terminal without tmux around it.
    const line = `env -u TMUX -u TMUX_PANE ${commandLine(daemon, ...words)}`;
    tmux.run('respawn-pane', '-k', '-t', pane, line);
    await listening(daemon);
    expect((await daemon.cli('notify', 'test', 'terminal')).code).toBe(0);
    await eventually(() => written().includes('test notification  agtmux notifies'), 'the line');
    const shown = written();
    expect(shown).toContain(
      '\u001b]9;agtmux: test notification · agtmux notifies you in this way.',
    );
    expect(shown).toContain(
      '\u001b]777;notify;test notification;agtmux notifies you in this way.\u001b\\\u0007',
    );
  });

  it('in a pane reaches the terminal around tmux, where allow-passthrough is on', async () => {
    await using daemon = new LiveDaemon();
    using outer = privateTmux('outer.sock');
    const { tmux } = daemon;
    const pane = tmux.newSession('shell', 'cat');
    tmux.run('set-option', '-g', 'allow-passthrough', 'on');
    await daemon.start();
    const attach = `env -u TMUX tmux -u -S ${shellWord(tmux.socketPath)} attach-session -t shell`;
    const around = outer.newSession('terminal', attach);
    const written = writtenTo(outer, outer.run, around);
    const words = ['notify', 'listen', '--with', 'osc9,osc99'];
    tmux.run('respawn-pane', '-k', '-t', pane, commandLine(daemon, ...words));
    await listening(daemon);
    await daemon.cli('notify', 'test', 'terminal');
    await eventually(() => written().includes('\u001b]99;i=agtmux-1:d=1'), 'the last sequence');
    expect(written()).toContain(
      '\u001b]9;agtmux: test notification · agtmux notifies you in this way.',
    );
    expect(tmux.run('capture-pane', '-p', '-t', pane)).not.toContain('allow-passthrough');
  });

  it('in a pane of a tmux that drops OSC says so, and still prints and rings', async () => {
    await using daemon = new LiveDaemon();
    const { tmux } = daemon;
    const pane = tmux.newSession('shell', 'cat');
    tmux.run('set-option', '-g', 'allow-passthrough', 'off');
    tmux.run('set-option', '-g', 'monitor-bell', 'on');
    tmux.newSession('other');
    await daemon.start();
    tmux.run('respawn-pane', '-k', '-t', pane, commandLine(daemon, 'notify', 'listen'));
    await listening(daemon);
    await daemon.cli('notify', 'test', 'terminal');
    const screen = () => tmux.run('capture-pane', '-p', '-t', pane);
    await eventually(() => screen().includes('test notification'), 'the line');
    expect(screen()).toContain('tmux drops OSC sequences here');
    const bell = () => tmux.run('display-message', '-p', '-t', pane, '#{window_bell_flag}');
    await eventually(() => bell() === '1', 'the bell is flagged');
  });

  it('goes on after the daemon was killed, from the last one that it has shown', async () => {
    await using daemon = new LiveDaemon();
    const { tmux } = daemon;
    const pane = tmux.newSession('shell', 'cat');
    const pid = await daemon.start();
    tmux.run('respawn-pane', '-k', '-t', pane, commandLine(daemon, 'notify', 'listen', '--json'));
    await listening(daemon);
    await daemon.cli('notify', 'test', 'terminal');
    const numbers = () =>
      [...tmux.run('capture-pane', '-pJ', '-S', '-', '-t', pane).matchAll(/"number":(\d+)/g)].map(
        ([, number]) => Number(number),
      );
    await eventually(() => numbers().length === 1, 'the first one is printed');
    await daemon.kill(pid, 'SIGKILL');
    // Nobody listens while the next one is stored: the listener has to come back by itself.
    await daemon.cli('notify', 'test', 'terminal');
    await eventually(() => numbers().length === 2, 'the second one is printed');
    expect(numbers()).toEqual([1, 2]);
  });
});
