// Bundles on real tmux: the scenarios of agentmux about their lifecycle, and what agtmux promises
// beyond them: ownership, output of starts that fail, the environment of the caller.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { exitOnceShown, TeamLab } from './team-lab.ts';

let lab: TeamLab;
let daemonPid = 0;

beforeAll(async () => {
  lab = new TeamLab();
  lab.coders({
    stay: 'exec sleep 1000',
    where: 'pwd > here; echo "$MARK" > mark; exec sleep 1000',
    broken: `echo about to fail; nosuchprogram --x; ${exitOnceShown('$?')}`,
    late: `echo too old >&2; ${exitOnceShown('7')}`,
  });
  daemonPid = await lab.live.start();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

describe('bundle up', () => {
  it('creates members in their directories, the first one alone, each owned', async () => {
    const folders = ['a', 'b'].map((name) => join(lab.work, name));
    for (const folder of folders) mkdirSync(folder);
    lab.bundle('two', [
      ['tester', 'where', join(lab.work, 'b')],
      ['author', 'where', join(lab.work, 'a')],
    ]);
    const report = await lab.run('up', 'two', { MARK: 'of the caller; $HOME' });
    expect(report).toMatchObject({
      ...{ code: 0, outcome: 'hosted', bootstrap_session: 'author' },
      ...{ created_sessions: ['author', 'tester'], ready_session_count: 2, failed_startups: [] },
    });
    expect(lab.sessions(lab.socket('two'))).toEqual(['author owned', 'tester owned']);
    for (const folder of folders) {
      expect(readFileSync(join(folder, 'here'), 'utf8')).toBe(`${folder}\n`);
      expect(readFileSync(join(folder, 'mark'), 'utf8')).toBe('of the caller; $HOME\n');
    }
    const owner = lab.tmux(
      lab.socket('two'),
      'show-options',
      '-v',
      '-t',
      '=author:',
      '@agtmux_owner',
    );
    expect(owner).toMatch(/^[0-9a-f]{16}\/two$/);
    const parents = lab.live.processes().filter(({ command }) => command.includes('sleep 1000'));
    expect(parents.length).toBeGreaterThan(0);
    for (const { pid } of parents) expect(ancestorsOf(pid)).not.toContain(daemonPid);
  });

  it('leaves what is there alone; a later environment reaches what is created then', async () => {
    const later = join(lab.work, 'later');
    mkdirSync(later);
    lab.bundle('two', [
      ['author', 'where', join(lab.work, 'a')],
      ['later', 'where', later],
      ['tester', 'where', join(lab.work, 'b')],
    ]);
    const before = lab.tmux(lab.socket('two'), 'list-panes', '-t', '=author:', '-F', '#{pane_pid}');
    const report = await lab.run('up', 'two', { MARK: 'later' });
    expect(report).toMatchObject({ outcome: 'hosted', created_sessions: ['later'] });
    expect(readFileSync(join(later, 'mark'), 'utf8')).toBe('later\n');
    const after = lab.tmux(lab.socket('two'), 'list-panes', '-t', '=author:', '-F', '#{pane_pid}');
    expect(after).toBe(before);
    const again = await lab.run('up', 'two');
    expect(again).toMatchObject({ outcome: 'skipped', reason_code: 'already_hosted' });
  });

  it('tries again after errors of tmux that pass, 35 ms and more later each time', async () => {
    lab.bundle('slow', [['author', 'stay']]);
    const { path, tries } = lab.failingTmux(2, 'failed to connect to server');
    const report = await lab.run('up', 'slow', { PATH: path });
    expect(report).toMatchObject({ outcome: 'hosted', created_sessions: ['author'] });
    const [first = 0, second = 0, third = 0] = tries();
    expect(tries()).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(35);
    expect(third - second).toBeGreaterThanOrEqual(70);
    await lab.run('down', 'slow');
  });

  it('gives up after four tries, and at once after an error that does not pass', async () => {
    lab.bundle('never', [['author', 'stay']]);
    const passing = lab.failingTmux(9, 'server exited unexpectedly');
    const report = await lab.run('up', 'never', { PATH: passing.path });
    expect(report).toMatchObject({
      code: 69,
      outcome: 'failed',
      reason_code: 'runtime_startup_failed',
    });
    expect(report.failed_startups).toMatchObject([
      {
        ...{ bundle_name: 'never', session_id: 'author', transport: 'tmux' },
        code: 'runtime_startup_failed',
        details: {
          ...{ session_name: 'author', session_id: 'author' },
          ...{ cause: 'server exited unexpectedly', error_code: 'internal_unexpected_failure' },
        },
      },
    ]);
    expect(passing.tries()).toHaveLength(4);
    const other = lab.failingTmux(9, 'invalid option');
    await lab.run('up', 'never', { PATH: other.path });
    expect(other.tries()).toHaveLength(1);
  });

  it('takes a dead command and a missing directory for failures, with their output', async () => {
    lab.bundle('bad', [
      ['broken', 'broken'],
      ['good', 'stay'],
      ['late', 'late'],
      ['lost', 'stay', join(lab.work, 'nowhere')],
    ]);
    const report = await lab.run('up', 'bad');
    // Up in part: a script must see it, and a person reads which.
    expect(report).toMatchObject({ code: 1, outcome: 'hosted', ready_session_count: 1 });
    const causes = Object.fromEntries(
      report.failed_startups.map((each) => [each.session_id, String(each.details['cause'])]),
    );
    expect(Object.keys(causes).toSorted()).toEqual(['broken', 'late', 'lost']);
    expect(causes['broken']).toMatch(/about to fail\n.*nosuchprogram.*not found/);
    expect(causes['late']).toContain('too old');
    // Now and then tmux 3.3a does not learn the exit code of a program.
    expect(`${causes['broken']}\n${causes['late']}`).toMatch(/status (?:127|7)/);
    expect(causes['lost']).toMatch(/nowhere/);
    const status = await lab.status('bad');
    expect(status).toMatchObject({
      state: 'up',
      startup_health: 'degraded',
      startup_failure_count: 3,
    });
    expect(status.recent_startup_failures.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    const presence = status.sessions.map((each) => `${each.id} ${each.presence}`);
    expect(presence).toEqual(['broken dead', 'good live', 'late dead', 'lost absent']);
    // What an ended program left makes room for the next start.
    const again = await lab.run('up', 'bad');
    expect(again.created_sessions).toEqual(['broken', 'late']);
    expect((await lab.status('bad')).recent_startup_failures.at(-1)?.sequence).toBe(6);
    await lab.run('down', 'bad');
  });

  it('touches no session when a file is not valid, or its machine is not known', async () => {
    lab.bundle('held', [['author', 'stay']]);
    await lab.run('up', 'held');
    lab.bundle('held', [['other', 'nobody']]);
    const invalid = await lab.live.cli('bundle', 'up', 'held', '--yes');
    expect([invalid.code, invalid.err]).toEqual([
      78,
      expect.stringMatching(/held\.toml:5:sessions\[0\]\.coder/),
    ]);
    lab.bundle('held', [['other', 'stay']], 'target = "vm9"');
    expect((await lab.live.cli('bundle', 'up', 'held', '--yes')).code).toBe(66);
    expect(lab.sessions(lab.socket('held'))).toEqual(['author owned']);
    lab.bundle('held', [['author', 'stay']]);
    await lab.run('down', 'held');
  });
});

describe('what is not ours', () => {
  it('is never ended: stale sessions go, free and foreign ones stay', async () => {
    const { tmux } = lab.live;
    lab.bundle(
      'mine',
      [
        ['member', 'stay'],
        ['stale', 'stay'],
      ],
      'server = "user"',
    );
    await lab.run('up', 'mine');
    tmux.newSession('free');
    for (const [name, option, value] of [
      ['agentmux', '@agentmux_owned', '1'],
      ['foreign', '@agtmux_owner', '0123456789abcdef/mine'],
      ['prefix', '@agtmux_owner', `${ownerOf('member')}x`],
    ] as const) {
      tmux.newSession(name);
      tmux.run('set-option', '-t', `=${name}:`, option, value);
    }
    lab.bundle(
      'mine',
      [
        ['member', 'stay'],
        ['free', 'stay'],
      ],
      'server = "user"',
    );
    const report = await lab.run('up', 'mine');
    expect(report).toMatchObject({ pruned_sessions: ['stale'], created_sessions: [] });
    const down = await lab.run('down', 'mine');
    expect(down).toMatchObject({
      outcome: 'unhosted',
      pruned_sessions: ['member'],
      killed_tmux_server: false,
    });
    const left = tmux.run('list-sessions', '-F', '#{session_name}').split('\n').toSorted();
    expect(left).toEqual(['agentmux', 'foreign', 'free', 'home', 'prefix']);
    for (const name of ['agentmux', 'foreign', 'free', 'prefix'])
      tmux.run('kill-session', '-t', `=${name}`);
  });

  const ownerOf = (session: string): string =>
    lab.live.tmux.run('show-options', '-v', '-t', `=${session}:`, '@agtmux_owner');

  it('is a server that others use: the one of a bundle ends only when it is empty', async () => {
    lab.bundle('shared', [['author', 'stay']]);
    await lab.run('up', 'shared');
    const socket = lab.socket('shared');
    lab.tmux(socket, 'new-session', '-d', '-s', 'visitor', 'sleep 1000');
    const first = await lab.run('down', 'shared');
    expect(first).toMatchObject({ pruned_sessions: ['author'], killed_tmux_server: false });
    expect(lab.sessions(socket)).toEqual(['visitor free']);
    await lab.run('up', 'shared');
    lab.tmux(socket, 'kill-session', '-t', '=visitor');
    const second = await lab.run('down', 'shared');
    expect(second).toMatchObject({ pruned_sessions: ['author'], killed_tmux_server: true });
    expect(lab.sessions(socket)).toEqual([]);
    expect(await lab.run('down', 'shared')).toMatchObject({ reason_code: 'already_unhosted' });
  });
});

describe('a person', () => {
  it('is asked before an attended session ends, and without a terminal nothing ends', async () => {
    lab.bundle('seen', [['author', 'stay']]);
    await lab.run('up', 'seen');
    const socket = lab.socket('seen');
    lab.live.tmux.newSession('viewer', `env -u TMUX tmux -S '${socket}' attach -t =author`);
    await eventually(() => lab.tmux(socket, 'list-clients') !== '', 'somebody looks at it');
    const asked = await lab.live.cli('bundle', 'down', 'seen');
    expect([asked.code, asked.err]).toEqual([
      64,
      expect.stringContaining('author: somebody looks'),
    ]);
    expect(lab.sessions(socket)).toEqual(['author owned']);
    expect((await lab.run('down', 'seen')).pruned_sessions).toEqual(['author']);
  });

  it('finds members alive after the daemon has ended, and failures after its start', async () => {
    const { pid } = await (await lab.live.client()).call('daemon_info', {});
    const stopped = await lab.live.cli('daemon', 'stop');
    expect(stopped.code).toBe(0);
    await lab.live.ended(pid);
    expect(lab.sessions(lab.socket('two'))).toEqual([
      'author owned',
      'later owned',
      'tester owned',
    ]);
    daemonPid = await lab.live.start();
    const status = await eventually(async () => {
      const now = await lab.status('two');
      return now.ready_session_count === 3 && now;
    }, 'the members are seen again');
    expect(status).toMatchObject({ state: 'up', startup_health: 'healthy' });
    expect((await lab.status('bad')).startup_failure_count).toBe(6);
    expect(await lab.run('up', 'two')).toMatchObject({ outcome: 'skipped' });
  });

  it('restarts a bundle in a new environment', async () => {
    const report = await lab.run('restart', 'two', { MARK: 'anew' });
    expect(report).toMatchObject({ outcome: 'hosted', ready_session_count: 3 });
    expect(report.pruned_sessions).toEqual(['author', 'later', 'tester']);
    expect(report.created_sessions).toEqual(['author', 'later', 'tester']);
    expect(readFileSync(join(lab.work, 'a', 'mark'), 'utf8')).toBe('anew\n');
    await lab.run('down', 'two');
    expect(existsSync(join(lab.work, 'a', 'mark'))).toBe(true);
  });

  it('acts on a group, and is refused where the command line is unclear', async () => {
    lab.bundle('g1', [['one', 'stay']], 'groups = ["web"]');
    lab.bundle('g2', [['two', 'stay']], 'groups = ["web"]');
    const up = await lab.live.cli('bundle', 'up', '--group', 'web', '--json');
    const reply = JSON.parse(up.out);
    expect(reply).toMatchObject({ action: 'up', changed_bundle_count: 2, failed_bundle_count: 0 });
    const names = reply.bundles.map((each: { bundle_name: string }) => each.bundle_name);
    expect([names, reply.changed_any]).toEqual([['g1', 'g2'], true]);
    const codes = await Promise.all(
      [['g1', '--group', 'web'], [], ['--group', 'x'], ['g3']].map(
        async (words) => (await lab.live.cli('bundle', 'down', ...words)).code,
      ),
    );
    expect(codes).toEqual([64, 64, 66, 66]);
    const down = await lab.live.cli('bundle', 'down', '--group', 'web');
    expect([down.code, down.out]).toEqual([0, expect.stringContaining('g2: ended two')]);
  });
});

it('a broken file of policies keeps the last good one, with an alert', async () => {
  const policies = readFileSync(join(lab.config, 'policies.toml'), 'utf8');
  writeFileSync(join(lab.config, 'policies.toml'), policies.replace('"self"', '"everybody"'));
  const client = await lab.live.client();
  const alert = await eventually(async () => {
    const { alerts } = await client.call('list_alerts', {});
    return alerts.find(({ code }) => code === 'teams_invalid');
  }, 'an alert');
  expect(alert.detail).toMatch(/line 6, policies\[0\]\.controls\.find: is none of the scopes/);
  const { bundles } = await client.call('list_bundles', {});
  expect(bundles.map(({ id }) => id)).toContain('g1');
  expect((await lab.live.cli('bundle', 'up', 'g1')).code).toBe(78);
  expect((await lab.live.cli('bundle', 'validate')).code).toBe(78);
  writeFileSync(join(lab.config, 'policies.toml'), policies);
  await eventually(async () => {
    const { alerts } = await client.call('list_alerts', {});
    return alerts.every(({ code }) => code !== 'teams_invalid');
  }, 'the alert is over');
});

function ancestorsOf(pid: number): readonly number[] {
  const pids: number[] = [];
  for (let at = pid; at > 1; ) {
    const stat = readFileSync(`/proc/${at}/stat`, 'latin1');
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    pids.push(at);
  }
  return pids;
}
