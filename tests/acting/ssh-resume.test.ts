// resume on another machine: by the ssh login of the person, in the tmux server there, or in a new
// one where that has ended.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { introduce, RemoteHost } from '../daemon-live/remote-host.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ResumableClaude, sessionOf } from './resumable.ts';

const LONG_MS = 180_000;
const REACH_MS = 60_000;

test.skipIf(isSshdMissing)(
  'an agent of an ssh target goes on there, also after its tmux server has ended',
  async () => {
    await using live = new LiveDaemon();
    const bin = join(live.folder, 'there');
    const env = { PATH: `${join(bin, 'bin')}:${process.env['PATH']}` };
    await using host = await RemoteHost.start({ env });
    const { tmux, sshd } = host;
    const claude = new ResumableClaude(bin, sshd.home);
    const folder = join(sshd.home, `a 'b' $(touch hit)`);
    mkdirSync(folder);
    introduce(live, { vm1: host });
    live.tmux.newSession('here');
    tmux.newSession('keeps');
    tmux.run('set-environment', '-g', 'PATH', claude.path);
    tmux.run('set-environment', '-g', 'HOME', sshd.home);
    const session = sessionOf('9');
    tmux.run('new-session', '-d', '-s', 'work', '-c', folder, claude.line(session));
    await live.start();
    const client = await live.client(30_000);
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });

    const agent = async (isNew: (pid: number) => boolean) =>
      eventually(
        async () => {
          const { panes } = await client.call('list_panes', { target: 'vm1' });
          const found = panes.find(({ session_key }) => session_key === session);
          return found?.pid && isNew(found.pid) ? found : null;
        },
        'the agent has named its session',
        REACH_MS,
      );
    const isEnded = () =>
      eventually(
        async () => (await client.call('list_ended_agents', {})).agents.length === 1,
        'the agent is listed as ended',
        REACH_MS,
      );

    const first = await agent(() => true);
    process.kill(first.pid ?? 0, 'SIGKILL');
    await isEnded();
    tmux.run('set-environment', '-g', 'PATH', folder);
    const missing = await live.cli('resume', session);
    const where = `claude is in no folder of PATH (${folder})`;
    expect([missing.code, missing.err]).toEqual([69, expect.stringContaining(where)]);
    tmux.run('set-environment', '-g', 'PATH', claude.path);
    const again = await live.cli('resume', session);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toMatch(/^delivered: claude goes on in %\d+\n$/);
    expect(claude.starts().at(-1)).toEqual({ args: ['--resume', session], cwd: folder });
    const second = await agent((pid) => pid !== first.pid);

    tmux.killServer();
    await isEnded();
    const anew = await live.cli('resume', '--last');
    expect(anew).toMatchObject({ code: 0, err: '' });
    const third = await agent((pid) => pid !== second.pid);
    expect(third.identity).toMatchObject({ session_name: 'work', server: tmux.socketPath });
    expect(claude.starts()).toHaveLength(3);
  },
  LONG_MS,
);
