// The status line on a real tmux with a real daemon: filled where the user has asked for it and
// nowhere else, and never a lie, however the daemon ends. And the plugin, which changes what it
// says and no more.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { countsInTmux, statusValue } from '../../src/daemon/publishing/status-value.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const TEST_MS = 120_000;

const statusOf = (tmux: PrivateTmux): string =>
  tmux.run('display-message', '-p', '#{T:@agtmux_status}');
const stored = (tmux: PrivateTmux): string => tmux.run('show-options', '-gq', '@agtmux_status');

const shows = (tmux: PrivateTmux, text: string): Promise<unknown> =>
  eventually(() => statusOf(tmux) === text, `the status line is ${text}`).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}; it is ${statusOf(tmux)}`);
    },
  );

describe.skipIf(isTmuxMissing)('the status line', () => {
  test(
    'follows the agents, and says so when the daemon was killed or has ended',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      const pane = fakeAgent(tmux, 'claude', 'agent');
      tmux.run('set-option', '-g', '@agtmux_status', '-');
      pane.show('claude/104-running');
      const pid = await live.start();
      await shows(tmux, '1>');
      pane.show('claude/111-waiting_approval');
      await shows(tmux, '1!');
      expect((await live.cli('tmux-status')).out).toBe('1!\n');
      await live.kill(pid, 'SIGKILL');
      await shows(tmux, 'agtmux ?');

      await live.start();
      await shows(tmux, '1!');
      expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
      expect(statusOf(tmux)).toBe('agtmux off');
    },
    TEST_MS,
  );

  test(
    'is never made where nobody asked, and not made again where it was removed',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      const pane = fakeAgent(tmux, 'claude', 'agent');
      const client = async (state: string): Promise<unknown> =>
        eventually(
          async () => (await live.cli('list', 'panes', '--state', state)).out.includes('claude'),
          state,
        );
      pane.show('claude/104-running');
      await live.start();
      await client('running');
      expect(stored(tmux)).toBe('');
      expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
      expect(stored(tmux)).toBe('');

      tmux.run('set-option', '-g', '@agtmux_status', '');
      await live.start();
      await shows(tmux, '1>');
      tmux.run('set-option', '-gu', '@agtmux_status');
      pane.show('claude/111-waiting_approval');
      await client('waiting_approval');
      expect(await live.cli('daemon', 'stop')).toMatchObject({ code: 0 });
      expect(stored(tmux)).toBe('');
    },
    TEST_MS,
  );

  test(
    'is set at most once a second, and not at all while nothing changes',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      const pane = fakeAgent(tmux, 'claude', 'agent');
      const counted = join(live.folder, 'pushes');
      writeFileSync(counted, '');
      const pushes = (): number => readFileSync(counted, 'utf8').length;
      tmux.run('set-option', '-g', '@agtmux_status', '-');
      pane.show('claude/104-running');
      await live.start();
      await shows(tmux, '1>');
      tmux.run('set-hook', '-g', 'after-set-option', `run-shell "printf x >> '${counted}'"`);
      using subscriber = new Subscriber(await live.client());
      const startedMs = performance.now();
      for (let round = 0; round < 5; round += 1) {
        pane.show('claude/111-waiting_approval');
        await subscriber.state(pane.paneId, 'waiting_approval');
        pane.show('claude/104-running');
        await subscriber.state(pane.paneId, 'running');
      }
      await shows(tmux, '1>');
      const seconds = (performance.now() - startedMs) / 1_000;
      expect(pushes()).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
      const before = pushes();
      pane.print('more of the same\r\n');
      await subscriber.until(pane.paneId, ({ state }) => state === 'running', 'the same counts');
      await live.cli('list', 'panes');
      expect(pushes()).toBe(before);
    },
    TEST_MS,
  );

  test(
    'is in doubt when its time has passed, though its client is attached',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      tmux.newSession('main');
      await live.start();
      const clientName = await eventually(
        () => tmux.run('list-clients', '-F', '#{client_name}').split('\n')[0],
        'a client',
      );
      const nowS = Date.now() / 1_000;
      const counts = countsInTmux({ error: 2, waiting_approval: 3, completed: 1 }, true);
      for (const [untilS, text] of [
        [nowS + 60, '#[fg=red]2x#[default] #[fg=yellow]3!#[default] #[fg=blue]1+#[default]'],
        [nowS - 60, 'agtmux ?'],
      ] as const) {
        const value = statusValue({ counts, clientName, untilS }) ?? '';
        tmux.run('set-option', '-g', '@agtmux_status', value);
        expect(statusOf(tmux).replace('✗', 'x').replace('✓', '+')).toBe(text);
      }
      expect(statusValue({ counts, clientName: 'client-1}#(touch x)', untilS: 0 })).toBeNull();
    },
    TEST_MS,
  );
});

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

describe.skipIf(isTmuxMissing)('the plugin', () => {
  const runPlugin = (tmux: PrivateTmux): void => {
    const env = { ...process.env, TMUX: `${tmux.socketPath},0,0` };
    execFileSync(join(root, 'plugin', 'agtmux.tmux'), { env });
  };

  test('makes the option, and binds no key unless one was chosen', () => {
    using tmux = privateTmux();
    tmux.newSession('main');
    const before = settingsOf(tmux);
    runPlugin(tmux);
    const after = settingsOf(tmux);
    expect(after).toEqual({ ...before, global: ['@agtmux_status -', ...(before['global'] ?? [])] });

    tmux.run('set-option', '-g', '@agtmux_status', '1>');
    tmux.run('set-option', '-g', '@agtmux_key', '"');
    runPlugin(tmux);
    const bound = settingsOf(tmux);
    expect(stored(tmux)).toBe('@agtmux_status 1>');
    const added = bound['keys']?.filter((line) => !before['keys']?.includes(line)) ?? [];
    expect(added).toHaveLength(1);
    expect(added[0]).toMatch(/-T prefix +\\" +display-popup -E -h "?80%"? -w "?90%"? agtmux$/);
    expect({ ...bound, keys: [], global: [] }).toEqual({ ...before, keys: [], global: [] });
  });
});
