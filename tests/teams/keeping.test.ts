// Bundles that are up: members whose program has ended are started again by the rule of their file,
// and sessions whose agent works or waits are ended only after a person was asked.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeCommand, LivePane } from '../daemon-live/live-agents.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from './team-lab.ts';

let lab: TeamLab;
const LONG_MS = 90_000;

beforeAll(async () => {
  lab = new TeamLab();
  lab.coders({
    stay: 'exec sleep 1000',
    counted: 'echo "$MARK $(pwd)" >> starts; [ -e stay ] && exec sleep 1000; exit 7',
    ends: 'echo done >> ends; exit 0',
    claude: fakeCommand(lab.live.tmux, 'claude'),
  });
  await lab.live.start();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

const restart = (when: string, attempts: number): string =>
  `[restart]\nwhen = "${when}"\nattempts = ${attempts}\nbackoff-ms = 100\n`;

describe('a member whose program ends', () => {
  it(
    'is started again in the environment of its first start, until it is given up',
    async () => {
      lab.bundle(
        'again',
        [
          ['fails', 'counted'],
          ['once', 'ends'],
          ['steady', 'stay'],
        ],
        restart('on-failure', 2),
      );
      const report = await lab.run('up', 'again', { MARK: 'of the person' });
      expect(report).toMatchObject({ outcome: 'hosted', ready_session_count: 1 });
      const starts = () => readFileSync(join(lab.work, 'starts'), 'utf8').trim().split('\n');
      const failure = await eventually(
        async () =>
          (await lab.status('again')).recent_startup_failures.find(({ reason }) =>
            reason.startsWith('it is not started again'),
          ),
        'it is given up',
        LONG_MS,
      );
      expect(failure).toMatchObject({ session_id: 'fails', code: 'runtime_startup_failed' });
      expect(failure.details['cause']).toMatch(/started again 2 times before/);
      expect(starts()).toEqual(Array(3).fill(`of the person ${lab.work}`));
      // An exit code of 0 is no failure.
      expect(readFileSync(join(lab.work, 'ends'), 'utf8')).toBe('done\n');
      const { sessions } = await lab.status('again');
      expect(sessions.map((each) => [each.id, each.presence, each.restarts])).toEqual([
        ['fails', 'dead', 2],
        ['once', 'dead', 0],
        ['steady', 'live', 0],
      ]);
      await lab.run('down', 'again');
    },
    LONG_MS,
  );

  it(
    'is ready again after a restart, and a session that a person has ended stays ended',
    async () => {
      writeFileSync(join(lab.work, 'stay'), '');
      lab.bundle(
        'always',
        [
          ['one', 'counted'],
          ['two', 'counted'],
        ],
        restart('always', 5),
      );
      await lab.run('up', 'always');
      const socket = lab.socket('always');
      const pidOf = (name: string) =>
        lab.tmux(socket, 'list-panes', '-t', `=${name}:`, '-F', '#{pane_pid}');
      const before = pidOf('one');
      process.kill(Number(before), 'SIGKILL');
      await eventually(() => /^\d+$/.test(pidOf('one')) && pidOf('one') !== before, 'a new one');
      lab.tmux(socket, 'kill-session', '-t', '=two');
      await eventually(async () => {
        const { sessions } = await lab.status('always');
        const found = sessions.map(({ presence, restarts }) => `${presence} ${restarts}`);
        return found.join() === 'live 1,absent 0';
      }, 'one runs, two is gone');
      const { out } = await lab.live.cli('bundle', 'status', 'always');
      expect(out).toMatch(/one +runs, restarted 1x/);
      expect(lab.sessions(socket)).toEqual(['one owned']);
      await lab.run('down', 'always');
    },
    LONG_MS,
  );
});

describe('a session whose agent works or waits', () => {
  it(
    'is listed, and ended by neither down nor a prune until somebody says yes',
    async () => {
      const { tmux } = lab.live;
      lab.bundle(
        'busy',
        [
          ['idle', 'stay'],
          ['waits', 'claude'],
          ['works', 'claude'],
        ],
        'server = "user"',
      );
      await lab.run('up', 'busy');
      LivePane.of(tmux, '=waits:').show('claude/156-waiting_approval');
      LivePane.of(tmux, '=works:').show('claude/104-running');
      await eventually(async () => {
        const { sessions } = await lab.status('busy');
        return sessions.map(({ state }) => state).join() === ',waiting_approval,running';
      }, 'both states are seen');
      const down = await lab.live.cli('bundle', 'down', 'busy');
      expect(down.code).toBe(64);
      expect(down.err).toMatch(/waits: claude waiting_approval\n +works: claude running\n/);
      lab.bundle('busy', [['idle', 'stay']], 'server = "user"');
      const up = await lab.live.cli('bundle', 'up', 'busy');
      expect([up.code, up.err]).toEqual([64, expect.stringContaining('works: claude running')]);
      const left = tmux.run('list-sessions', '-F', '#{session_name}').split('\n').toSorted();
      expect(left).toEqual(['home', 'idle', 'waits', 'works']);
      expect((await lab.run('up', 'busy')).pruned_sessions).toEqual(['waits', 'works']);
      expect((await lab.run('down', 'busy')).pruned_sessions).toEqual(['idle']);
    },
    LONG_MS,
  );
});

describe('bundle up', () => {
  it('--autostart brings up what is marked, and says so where nothing is', async () => {
    const none = await lab.live.cli('bundle', 'up', '--autostart');
    expect([none.code, none.err]).toEqual([0, 'No bundle has autostart = true.\n']);
    lab.bundle('marked', [['one', 'stay']], 'autostart = true');
    const up = await lab.live.cli('bundle', 'up', '--autostart');
    expect([up.code, up.out]).toEqual([0, 'up  marked: 1 of 1 ready; created one\n']);
    expect((await lab.live.cli('bundle', 'up', 'marked', '--autostart')).code).toBe(64);
    await lab.run('down', 'marked');
  });

  it('ends a server of its own that it has emptied', async () => {
    lab.bundle('empty', [['one', 'stay']]);
    await lab.run('up', 'empty');
    const socket = lab.socket('empty');
    lab.tmux(socket, 'set-option', '-s', 'exit-empty', 'off');
    lab.bundle('empty', [['other', 'stay', join(lab.work, 'nowhere')]]);
    const report = await lab.run('up', 'empty');
    expect(report).toMatchObject({
      ...{ code: 69, pruned_sessions: ['one'], created_sessions: [] },
      killed_tmux_server: true,
    });
    expect(lab.tmux(socket, '-N', 'show-options', '-s', 'exit-empty')).toBe('');
  });
});

describe('the end of a tmux server', () => {
  it('is news only where nobody has ended its last session on purpose', async () => {
    const client = await lab.live.client();
    const socket = lab.socket('ended');
    const watched = (count: number) =>
      eventually(async () => {
        const { panes } = await client.call('list_panes', {});
        return panes.filter(({ identity }) => identity?.server === socket).length === count;
      }, `${count} panes are listed`);
    const alerts = async (): Promise<number> => {
      const found = await client.call('list_alerts', {});
      return found.alerts.filter(
        ({ code, about }) => code === 'tmux_ended' && about.includes(socket),
      ).length;
    };
    lab.bundle('ended', [
      ['one', 'stay'],
      ['two', 'stay'],
    ]);
    await lab.run('up', 'ended');
    await watched(2);
    expect(await lab.run('restart', 'ended')).toMatchObject({ killed_tmux_server: true });
    await watched(2);
    expect(await alerts()).toBe(0);
    for (const member of ['one', 'two']) {
      const { code, err } = await lab.live.cli('stop', `ended/${member}`, '--yes');
      expect([code, err]).toEqual([0, '']);
    }
    await watched(0);
    expect(await alerts()).toBe(0);
    await lab.run('up', 'ended');
    await watched(2);
    expect(await lab.run('down', 'ended')).toMatchObject({ killed_tmux_server: true });
    await watched(0);
    expect(await alerts()).toBe(0);
    await lab.run('up', 'ended');
    await watched(2);
    lab.tmux(socket, 'kill-server');
    await eventually(async () => (await alerts()) === 1, 'its end is an alert');
    await lab.run('down', 'ended');
  });
});

describe('bundle down', () => {
  it('is no failure where the server ends under it, or has ended before', async () => {
    const members = [
      ['one', 'stay'],
      ['two', 'stay'],
    ] as const;
    lab.bundle('gone', members);
    await lab.run('up', 'gone');
    const socket = lab.socket('gone');
    const under = await lab.run('down', 'gone', { PATH: lab.vanishingTmux(socket) });
    expect(under).toMatchObject({ code: 0, outcome: 'unhosted', failed_startups: [] });
    expect(lab.sessions(socket)).toEqual([]);
    await lab.run('up', 'gone');
    lab.tmux(socket, 'kill-server');
    const before = await lab.run('down', 'gone');
    expect(before).toMatchObject({ code: 0, reason_code: 'already_unhosted' });
  });
});
