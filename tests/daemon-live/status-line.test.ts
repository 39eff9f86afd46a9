// The status line on a real tmux with a real daemon: filled where the user has asked for it and
// nowhere else, and never a lie, however the daemon ends.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countsInTmux, statusValue } from '../../src/daemon/publishing/status-value.ts';
import { eventually, isTmuxMissing, type PrivateTmux } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const TEST_MS = 120_000;

/** As tmux expands it, styles included. */
const styledStatusOf = (tmux: PrivateTmux): string =>
  tmux.run('display-message', '-p', '#{T:@agtmux_status}');
const statusOf = (tmux: PrivateTmux): string => styledStatusOf(tmux).replaceAll(/#\[[^\]]*\]/g, '');
const stored = (tmux: PrivateTmux): string => tmux.run('show-options', '-gq', '@agtmux_status');

/** Far less than half a minute: a value that comes so late is one that a person has given up on. */
const SHOWN_MS = 15_000;

const shows = (tmux: PrivateTmux, text: string): Promise<unknown> =>
  eventually(() => statusOf(tmux) === text, `the status line is ${text}`, SHOWN_MS).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}; it is ${statusOf(tmux)}`);
    },
  );

describe.skipIf(isTmuxMissing)('the status line', () => {
  test(
    'follows the agents, and says so when the daemon was killed or has ended',
    async () => {
      await using live = new LiveDaemon({ attach: 'always' });
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
    'a status line that is asked for while the daemon runs is filled by the next poll',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      fakeAgent(tmux, 'claude', 'agent').show('claude/111-waiting_approval');
      await live.start();
      tmux.run('set-option', '-g', '@agtmux_status', '-');
      await shows(tmux, '1!');
      expect(styledStatusOf(tmux)).toBe('#[fg=black bg=yellow]1!#[default]');
      tmux.run('set-option', '-g', '@agtmux_colors', 'off');
      await eventually(() => styledStatusOf(tmux) === '1!', 'the counts without colours');
      // As a tmux.conf that is sourced again does.
      tmux.run('set-option', '-g', '@agtmux_status', '-');
      await shows(tmux, '1!');
    },
    TEST_MS,
  );

  test(
    'is set at most once a second, and not at all while nothing changes',
    async () => {
      await using live = new LiveDaemon({ attach: 'always' });
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
    'of a server without a client of ours follows the agents, and is in doubt by time alone',
    async () => {
      await using live = new LiveDaemon();
      const { tmux } = live;
      tmux.run('new-session', '-d', '-s', 'main', 'cat');
      tmux.run('set-option', '-g', '@agtmux_status', '-');
      const pane = fakeAgent(tmux, 'claude', 'agent');
      pane.show('claude/104-running');
      await live.start();
      await shows(tmux, '1>');
      const counts = countsInTmux({ running: 2 }, false);
      const nowS = Date.now() / 1_000;
      for (const [untilS, text] of [
        [nowS + 60, '2>'],
        [nowS - 1, 'agtmux ?'],
      ] as const) {
        const value = statusValue({ counts, clientName: null, untilS }) ?? '';
        expect(tmux.run('display-message', '-p', value)).toBe(text);
      }
    },
    TEST_MS,
  );

  test(
    'is in doubt when its time has passed, though its client is attached',
    async () => {
      await using live = new LiveDaemon({ attach: 'always' });
      const { tmux } = live;
      tmux.newSession('main');
      await live.start();
      const clientName = await eventually(
        () => tmux.run('list-clients', '-F', '#{client_name}').split('\n')[0],
        'a client',
      );
      const nowS = Date.now() / 1_000;
      const error = '#[fg=white bg=red bold]2x#[default]';
      const approval = '#[fg=black bg=yellow]3!#[default]';
      const completed = '#[fg=black bg=white]1+#[default]';
      const counts = countsInTmux({ error: 2, waiting_approval: 3, completed: 1 }, true);
      for (const [untilS, text] of [
        [nowS + 60, `${error} ${approval} ${completed}`],
        [nowS - 60, 'agtmux ?'],
      ] as const) {
        const value = statusValue({ counts, clientName, untilS }) ?? '';
        tmux.run('set-option', '-g', '@agtmux_status', value);
        expect(styledStatusOf(tmux).replace('✗', 'x').replace('✓', '+')).toBe(text);
      }
      expect(statusValue({ counts, clientName: 'client-1}#(touch x)', untilS: 0 })).toBeNull();
    },
    TEST_MS,
  );
});
