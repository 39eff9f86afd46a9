// A bundle on another machine: its members are started there by the ssh login of the person, in the
// tmux server of the bundle, and are watched and ended there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { introduce, RemoteHost } from '../daemon-live/remote-host.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { exitOnceShown, TeamLab } from './team-lab.ts';

const LONG_MS = 240_000;
const REACH_MS = 60_000;

test.skipIf(isSshdMissing)(
  'a bundle of an ssh target comes up there, is seen again by the next daemon, and goes down',
  async () => {
    await using lab = new TeamLab();
    await using host = await RemoteHost.start();
    introduce(lab.live, { vm1: host });
    lab.coders({
      there: 'pwd > here; exec sleep 1000',
      late: `echo too old >&2; ${exitOnceShown('7')}`,
    });
    const { home } = host.sshd;
    const rule = '[restart]\nwhen = "always"\nattempts = 1\nbackoff-ms = 100\n';
    lab.bundle(
      'far',
      [
        ['author', 'there', '~'],
        ['late', 'late', home],
        ['lost', 'there', `${home}/nowhere`],
      ],
      `target = "vm1"\n${rule}`,
    );
    const first = await lab.live.start();
    const client = await lab.live.client(30_000);
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    const isReached = () =>
      eventually(
        async () => (await lab.status('far')).server !== null,
        'the machine is reached',
        REACH_MS,
      );
    await isReached();

    const up = await lab.run('up', 'far');
    expect(up).toMatchObject({ outcome: 'hosted', ready_session_count: 1 });
    expect(up.created_sessions).toEqual(['author', 'late']);
    const causes = Object.fromEntries(
      up.failed_startups.map((each) => [each.session_id, String(each.details['cause'])]),
    );
    expect(causes['late']).toContain('too old');
    expect(causes['lost']).toMatch(/nowhere/);
    expect(readFileSync(join(home, 'here'), 'utf8')).toBe(`${home}\n`);
    const { server } = await lab.status('far');
    const sessions = () => lab.sessions(server ?? '');
    expect(server).toMatch(/\/agtmux-far$/);
    expect(sessions()).toEqual(['author owned', 'late owned']);

    // The rule of the file holds there too.
    await eventually(
      async () => (await lab.status('far')).sessions[1]?.restarts === 1,
      'late was started again',
      REACH_MS,
    );

    await lab.live.cli('daemon', 'stop');
    await lab.live.ended(first);
    expect(sessions()).toEqual(['author owned', 'late owned']);
    await lab.live.start();
    await eventually(
      async () => (await lab.status('far')).ready_session_count === 1,
      'its member is seen again',
      REACH_MS,
    );

    const down = await lab.run('down', 'far');
    expect(down).toMatchObject({
      pruned_sessions: ['author', 'late'],
      killed_tmux_server: true,
    });
    expect(sessions()).toEqual([]);

    const program = ['sh', '--', '-c', 'pwd > alone; exec sleep 1000'];
    const spawned = await lab.live.cli('spawn', '--target', 'vm1', '--name', 'far', ...program);
    expect([spawned.code, spawned.out]).toEqual([
      0,
      expect.stringMatching(/^far: runs; no agent that is known, in %\d+\n$/),
    ]);
    expect(readFileSync(join(home, 'alone'), 'utf8')).toBe(`${home}\n`);
    const stop = await lab.live.cli('stop', 'vm1/far', '--yes');
    expect([stop.code, stop.out, stop.err]).toEqual([0, 'ended  far\n', '']);
    // Nothing of it ran on this machine's own server.
    expect(lab.live.tmux.run('list-sessions', '-F', '#{session_name}')).toBe('home');
  },
  LONG_MS,
);
