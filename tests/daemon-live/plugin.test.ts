// The tmux plugin on a real tmux with its stock configuration: what it changes and what it leaves,
// and what a person sees at the bottom of an attached terminal.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { installCommand } from './installed-command.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

const TEST_MS = 120_000;

/** Everything that a plugin could have changed. */
function settingsOf(tmux: PrivateTmux): Record<string, readonly string[]> {
  const lines = (...args: readonly string[]): readonly string[] => tmux.run(...args).split('\n');
  return {
    global: lines('show-options', '-g'),
    server: lines('show-options', '-s'),
    windows: lines('show-options', '-gw'),
    hooks: lines('show-hooks', '-g'),
    keys: lines('list-keys'),
    environment: lines('show-environment', '-g'),
  };
}

/** The lines that differ, before and after. */
function changesOf(
  before: Record<string, readonly string[]>,
  after: Record<string, readonly string[]>,
): readonly string[] {
  return Object.keys(before).flatMap((name) => [
    ...(before[name] ?? [])
      .filter((line) => !after[name]?.includes(line))
      .map((line) => `-${line}`),
    ...(after[name] ?? [])
      .filter((line) => !before[name]?.includes(line))
      .map((line) => `+${line}`),
  ]);
}

function runPlugin(tmux: PrivateTmux, env: Readonly<Record<string, string>>): void {
  execFileSync(join(root, 'agtmux.tmux'), { env: { ...env, TMUX: `${tmux.socketPath},0,0` } });
}

/** What stands on PATH besides agtmux. */
const systemPath = '/usr/bin:/bin';

describe.skipIf(isTmuxMissing)('the plugin', () => {
  test('places the counts in front of status-right once, and binds only the chosen keys', () => {
    using tmux = privateTmux();
    tmux.newSession('main');
    const bin = installCommand(tmux.folder);
    const env = { PATH: `${bin}:${systemPath}`, HOME: tmux.folder };
    tmux.run('set-option', '-g', '@agtmux_start', 'off');
    const stock = tmux.run('show-options', '-gv', 'status-right');
    const before = settingsOf(tmux);
    runPlugin(tmux, env);
    const placed = settingsOf(tmux);
    expect(tmux.run('show-options', '-gv', 'status-right')).toBe(`#{T:@agtmux_status} ${stock}`);
    expect(changesOf(before, placed)).toEqual([
      expect.stringMatching(/^-status-right /),
      '-status-right-length 40',
      '+@agtmux_status -',
      expect.stringMatching(/^\+status-right /),
      '+status-right-length 60',
    ]);

    tmux.run('set-option', '-g', '@agtmux_key', '"');
    tmux.run('set-option', '-g', '@agtmux_sidebar_key', 'F7');
    tmux.run('set-option', '-g', '@agtmux_status', '1>');
    runPlugin(tmux, env);
    expect(tmux.run('show-options', '-gv', '@agtmux_status')).toBe('1>');
    const bound = changesOf(placed, settingsOf(tmux)).filter((line) => !line.includes('@agtmux_'));
    expect(bound.map((line) => line.slice(0, 1))).toEqual(['-', '+', '+']);
    expect(bound[1]).toMatch(/-T prefix +\\" +display-popup -E -h "?80%"? -w "?90%"? /);
    expect(bound[2]).toMatch(/-T prefix +F7 +run-shell .* sidebar --pane /);
  });

  test('leaves status-right alone on request, and where the counts are shown already', () => {
    using tmux = privateTmux();
    tmux.newSession('main');
    const env = { PATH: `${installCommand(tmux.folder)}:${systemPath}`, HOME: tmux.folder };
    tmux.run('set-option', '-g', '@agtmux_start', 'off');
    tmux.run('set-option', '-g', '@agtmux_place', 'off');
    const before = settingsOf(tmux);
    runPlugin(tmux, env);
    expect(changesOf(before, settingsOf(tmux))).toEqual(['+@agtmux_status -']);

    tmux.run('set-option', '-gu', '@agtmux_place');
    tmux.run('set-option', '-g', 'status-left', '#{T:@agtmux_status} [#S]');
    const own = settingsOf(tmux);
    runPlugin(tmux, env);
    expect(changesOf(own, settingsOf(tmux))).toEqual([]);
  });

  test('says in the status line that agtmux is not found, and no longer once it is', () => {
    using tmux = privateTmux();
    tmux.newSession('main');
    tmux.run('set-option', '-g', '@agtmux_start', 'off');
    const value = (): string => tmux.run('show-options', '-gv', '@agtmux_status');
    const tools = join(tmux.folder, 'tools');
    mkdirSync(tools);
    // No node either: it could run the program of this clone.
    execFileSync('ln', ['-s', ...['tmux', 'sh', 'dirname', 'sed'].map(pathOf), tools]);
    runPlugin(tmux, { PATH: tools, HOME: tmux.folder });
    expect(value()).toBe('agtmux: not found');
    runPlugin(tmux, { PATH: `${installCommand(tmux.folder)}:${tools}`, HOME: tmux.folder });
    expect(value()).toBe('-');
  });

  test(
    'starts the daemon, shows the counts on the stock green bar, and its key opens the live view',
    async () => {
      await using live = new LiveDaemon();
      using terminal = privateTmux();
      const { tmux } = live;
      fakeAgent(tmux, 'claude', 'agent').show('claude/111-waiting_approval');
      const bin = installCommand(live.folder);
      tmux.run('set-option', '-g', '@agtmux_key', 'a');
      terminal.newSession('terminal', `TMUX= exec tmux -u -S '${tmux.socketPath}' attach`);
      terminal.run('set-option', '-g', 'status', 'off');
      const screen = (): string => terminal.run('capture-pane', '-e', '-p', '-t', 'terminal:');
      const { AGTMUX_TMUX_SOCKET_PATH: _, ...env } = live.env;
      runPlugin(tmux, { ...env, PATH: `${bin}:${env['PATH']}` });
      // Green, the counts black on yellow, and the clock is still there.
      const bar = /^\^\[30m\^\[42m.*\^\[43m1!\^\[42m.* \d\d:\d\d \d\d-\w{3}-\d\d/;
      const lastRow = (): string => screen().split('\n').at(-1)?.replaceAll('\u001b', '^') ?? '';
      await eventually(() => bar.test(lastRow()), 'the counts in the bar').catch((error) => {
        throw new Error(`${String(error)}; it is ${lastRow()}`);
      });

      // A popup runs in the environment of the server.
      for (const [name, text] of Object.entries(env)) tmux.run('set-environment', '-g', name, text);
      terminal.run('send-keys', '-t', 'terminal:', 'C-b', 'a');
      await eventually(() => /1 agent/.test(screen()), 'the live view in a popup').catch(
        (error) => {
          throw new Error(`${String(error)}; it is ${screen()}`);
        },
      );
      terminal.run('send-keys', '-t', 'terminal:', 'q');
      await eventually(() => !/┌/.test(screen()), 'the popup is closed');
    },
    TEST_MS,
  );
});

const pathOf = (program: string): string =>
  execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
