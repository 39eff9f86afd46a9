// A tmux server survives us: also when our client has lost its session and cannot leave at once,
// because the machine is busy or the client is stopped.

import { describe, expect, it } from 'vitest';
import { TmuxLink } from '../../src/tmux/link.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from './tmux-server.ts';

/** tmux looks at its clients once a second; by its own clock it has done so when this is over. */
function letTmuxLook(tmux: PrivateTmux): void {
  tmux.run('run-shell', '-d', '1.5');
}

describe.skipIf(isTmuxMissing)('a tmux server', () => {
  it('lives on when the session of a client of ours ends and the client does not', async () => {
    using tmux = privateTmux();
    const first = tmux.newSession('first');
    tmux.newSession('second');
    const serverPid = tmux.serverPid();
    await using link = new TmuxLink({ socketPath: tmux.socketPath });
    link.start();
    await eventually(() => link.status.sessionId === first, 'it is attached');
    // What it sets up after the attach is set up by then.
    await link.run([['list-sessions']], { deadlineMs: 5_000 });
    letTmuxLook(tmux);
    const clientPid = Number(tmux.run('list-clients', '-F', '#{client_pid}'));
    process.kill(clientPid, 'SIGSTOP');
    try {
      tmux.run('kill-session', '-t', first);
      letTmuxLook(tmux);
      expect(tmux.run('list-sessions', '-F', '#{session_name}')).toBe('second');
      expect(tmux.serverPid()).toBe(serverPid);
    } finally {
      process.kill(clientPid, 'SIGCONT');
    }
  });
});
