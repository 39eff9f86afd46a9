// A tmux server whose sessions come and go all the time, while the daemon is started on it over and
// over: a version that could die of a client which attaches is left alone until it is quiet.

import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { hasAttachFault } from '../../src/tmux/quiet-gate.ts';
import { repeats } from '../length.ts';
import { eventually, isTmuxMissing, type PrivateTmux } from '../live/tmux-server.ts';
import { LiveDaemon } from './live-daemon.ts';

const STARTS = repeats(40);
const TEST_MS = 60_000 + STARTS * 10_000;

/** Makes, renames and ends sessions as fast as it can, until it is disposed of. */
function churn({ socketPath }: PrivateTmux): Disposable {
  const tmux = `tmux -N -S ${socketPath}`;
  const round =
    `${tmux} new-session -d -s x$$ cat \\; rename-session -t =x$$: y$$ \\; ` +
    `new-window -d -t =y$$: cat \\; kill-session -t =y$$: || exit`;
  const loops = [1, 2].map(() =>
    spawn('sh', ['-c', `while :; do ${round}; done`], { stdio: 'ignore' }),
  );
  return {
    [Symbol.dispose]() {
      for (const loop of loops) loop.kill('SIGKILL');
    },
  };
}

describe.skipIf(isTmuxMissing)('a tmux server whose sessions come and go all the time', () => {
  test(
    'survives each start of a daemon, which lists its panes and attaches when it is quiet',
    async () => {
      await using live = new LiveDaemon();
      live.tmux.newSession('stays');
      const serverPid = live.tmux.serverPid();
      const isFaulty = hasAttachFault(live.tmux.run('display-message', '-p', '#{version}'));
      const daemonInfo = async () => (await live.client()).call('daemon_info', {});
      {
        using _churn = churn(live.tmux);
        for (let start = 0; start < STARTS; start += 1) {
          expect(await live.cli('daemon', 'start')).toMatchObject({ code: 0 });
          const listed = await live.cli('list', 'panes', '--json');
          expect(listed.out).toContain('stays');
          const { pid, servers } = await daemonInfo();
          if (isFaulty) expect(servers[0]?.status).not.toBe('connected');
          expect(live.tmux.serverPid()).toBe(serverPid);
          await live.kill(pid, 'SIGKILL');
        }
        await live.cli('daemon', 'start');
        const why = async () => (await daemonInfo()).servers[0]?.detail?.includes('stop changing');
        if (isFaulty) await eventually(why, 'it says why it does not attach');
      }
      await eventually(
        async () => (await daemonInfo()).servers[0]?.status === 'connected',
        'it attaches when the server is quiet',
      );
      expect(live.tmux.serverPid()).toBe(serverPid);
    },
    TEST_MS,
  );
});
