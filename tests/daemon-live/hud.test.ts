// The HUD on real servers: on tmux 3.7 and newer, of a newer Debian where the machine has none, it
// opens, follows its file, is made again, and is no pane of the user's; older versions are told.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { newerTmux } from '../live/newer-tmux.ts';
import { attachPerson } from '../live/tmux-person.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const TEST_MS = 120_000;

afterEach(() => {
  vi.unstubAllEnvs();
});

const floating = (live: LiveDaemon): readonly string[] =>
  live.tmux
    .run('list-panes', '-a', '-F', '#{pane_floating_flag} #{pane_id}')
    .split('\n')
    .flatMap((line) => (line.startsWith('1 ') ? [line.slice(2)] : []));

const screenOf = (live: LiveDaemon, paneId: string): string =>
  live.tmux.run('capture-pane', '-p', '-t', paneId);

const framesOf = (live: LiveDaemon): readonly string[] =>
  readdirSync(join(live.folder, 'state', 'agtmux')).filter((name) => name.endsWith('.frames'));

/** The one HUD, when its text is there. */
const hudWith = (live: LiveDaemon, text: string): Promise<string> =>
  eventually(() => {
    const [paneId, ...others] = floating(live);
    if (paneId === undefined || others.length > 0) return null;
    return screenOf(live, paneId).includes(text) ? paneId : null;
  }, `the HUD shows ${text}`);

/** A session on a new server; the old one may still be about to end. */
const restarted = (live: LiveDaemon): Promise<string> =>
  eventually(() => {
    try {
      return live.tmux.newSession('again');
    } catch {
      return null;
    }
  }, 'a new server');

describe.each(['forky', 'sid'] as const)('on the tmux of %s', async (suite) => {
  const folder = await newerTmux(suite);

  /** A daemon on such a tmux, an agent that waits, a pane that floats, and a person who looks. */
  async function open() {
    const PATH = [folder, process.env['PATH']].filter(Boolean).join(':');
    vi.stubEnv('PATH', PATH);
    const live = new LiveDaemon();
    fakeAgent(live.tmux, 'claude', 'agent').show('claude/111-waiting_approval');
    live.tmux.run('resize-window', '-t', '=agent:', '-x', '120', '-y', '40');
    await attachPerson(live.tmux, live.tmux.run('display-message', '-p', '#{session_id}'));
    const first = await live.start();
    const client = await live.client();
    using subscriber = new Subscriber(await live.client());
    await subscriber.state('%0', 'waiting_approval');
    return { live, client, first };
  }

  test.skipIf(folder === null)(
    'it shows the agents, is in no list, and goes when it is switched off',
    async () => {
      const { live, client } = await open();
      await using _live = live;
      expect(floating(live)).toEqual([]);
      const { on } = await client.call('set_hud', { on: true });
      expect(on).toBe(true);
      const paneId = await hudWith(live, '! claude');
      expect(screenOf(live, paneId)).toMatch(/^agtmux 1! +\d\d:\d\d/);
      expect(live.tmux.run('display-message', '-p', '-t', '=agent:', '#{pane_id}')).toBe('%0');
      await eventually(async () => {
        const { servers } = await client.call('hud_status', {});
        return servers.some(({ state, pane_id }) => state === 'shown' && pane_id === paneId);
      }, 'its pane is known');

      // A floating pane of the person's is listed, and the HUD is not.
      const own = live.tmux.run('new-pane', '-d', '-P', '-F', '#{pane_id}', 'cat');
      const panes = await eventually(async () => {
        const list = await client.call('list_panes', {});
        return list.panes.some(({ identity }) => identity?.pane_id === own) && list.panes;
      }, 'the other floating pane is listed');
      expect(panes.map(({ identity, floating: floats }) => [identity?.pane_id, floats])).toEqual(
        expect.arrayContaining([
          ['%0', false],
          [own, true],
        ]),
      );
      expect(panes).toHaveLength(2);
      live.tmux.run('kill-pane', '-t', own);

      await client.call('set_hud', { on: false });
      await eventually(() => floating(live).length === 0, 'the HUD is closed');
      expect(framesOf(live)).toEqual([]);
    },
    TEST_MS,
  );

  test.skipIf(folder === null)(
    'it is repainted in place, without a process for each picture',
    async () => {
      const { live, client } = await open();
      await using _live = live;
      await client.call('set_hud', { on: true });
      const paneId = await hudWith(live, '! claude');
      const pid = live.tmux.run('display-message', '-p', '-t', paneId, '#{pane_pid}');
      await client.call('name_pane', { ref: '%0', alias: 'reviewer' });
      expect(await hudWith(live, 'reviewer')).toBe(paneId);
      const command = [
        'display-message',
        '-p',
        '-t',
        paneId,
        '#{pane_pid} #{pane_current_command}',
      ];
      expect(live.tmux.run(...command)).toBe(`${pid} tail`);
    },
    TEST_MS,
  );

  test.skipIf(folder === null)(
    'it is made again where it is gone, and after a restart of tmux',
    async () => {
      const { live, client } = await open();
      await using _live = live;
      await client.call('set_hud', { on: true });
      const paneId = await hudWith(live, '! claude');
      live.tmux.run('kill-pane', '-t', paneId);
      expect(await hudWith(live, '! claude')).not.toBe(paneId);

      live.tmux.killServer();
      const sessionId = await restarted(live);
      live.tmux.run('resize-window', '-t', '=again:', '-x', '120', '-y', '40');
      await attachPerson(live.tmux, sessionId);
      await hudWith(live, 'no agents');
    },
    TEST_MS,
  );

  test.skipIf(folder === null)(
    'it goes with its daemon, also with one that is killed, and comes with the next',
    async () => {
      const { live, client, first } = await open();
      await using _live = live;
      await client.call('set_hud', { on: true });
      await hudWith(live, '! claude');
      await live.kill(first, 'SIGTERM');
      expect(floating(live)).toEqual([]);
      expect(framesOf(live)).toEqual([]);

      const pid = await live.start();
      await hudWith(live, '! claude');
      await live.kill(pid, 'SIGKILL');
      await eventually(() => floating(live).length === 0, 'its reader has ended');
      await live.start();
      await hudWith(live, '! claude');
    },
    TEST_MS,
  );
});

describe.skipIf(isTmuxMissing)('on any tmux', () => {
  test(
    'a server that cannot show it is named, and nothing is done to it',
    async () => {
      await using live = new LiveDaemon();
      // With a person attached an old tmux is the only reason that is left.
      await attachPerson(live.tmux, live.tmux.newSession('work'));
      await live.start();
      const client = await live.client();
      if (live.tmux.run('list-commands', 'new-pane') !== '') return;
      const before = live.tmux.run('list-panes', '-a');
      const status = await client.call('set_hud', { on: true });
      expect(status.servers.map(({ state }) => state)).toEqual(['unsupported']);
      expect((await live.cli('hud')).out).toContain('tmux 3.7 and newer has them');
      expect(live.tmux.run('list-panes', '-a')).toBe(before);
      const { out } = await live.cli('hud', 'off');
      expect(out).toBe('The HUD is off.\n');
    },
    TEST_MS,
  );
});
