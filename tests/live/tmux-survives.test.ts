// A tmux server survives us: also when our client has lost its session and cannot leave at once,
// because the machine is busy or the client is stopped, and when a session and its windows end in
// one turn of tmux's loop, of which a version before 3.8 dies if any control client is attached.

import { describe, expect, it } from 'vitest';
import { TmuxLink } from '../../src/tmux/link.ts';
import { WakeClient } from '../../src/tmux/wake.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from './tmux-server.ts';

const soon = { deadlineMs: 10_000 };

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
    await using link = new TmuxLink({ attach: 'always', socketPath: tmux.socketPath });
    link.start();
    await eventually(() => link.status.sessionId === first, 'it is attached');
    // What it sets up after the attach is set up by then.
    await link.run([['list-sessions']], soon);
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

  it('lives on when a session ends in the moment in which its window changes', async () => {
    using tmux = privateTmux();
    tmux.newSession('stays');
    const serverPid = tmux.serverPid();
    await using link = new TmuxLink({ attach: 'when_safe', socketPath: tmux.socketPath });
    await using wake = new WakeClient({ link, onWake: () => {} });
    link.start();
    wake.start();
    await eventually(() => link.status.state === 'connected', 'it is connected');
    for (let round = 0; round < 5; round += 1) {
      const ends = tmux.newSession('ends');
      tmux.run('new-window', '-d', '-t', `${ends}:`, 'cat');
      // One command line is one turn of its loop: the session is gone before it is reported.
      tmux.run('select-window', '-t', `${ends}:1`, ';', 'kill-session', '-t', ends);
      expect(tmux.serverPid()).toBe(serverPid);
    }
    expect(await link.run([['list-sessions', '-F', '#{session_name}']], soon)).toMatchObject([
      { ok: true, lines: ['stays'] },
    ]);
  });
});
