// End to end: two fake Codexes in real panes that share one app server, as the real ones do. Hooks
// run in the server with the pane of whoever started it, and still reach the pane of their thread.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { fakeCommand, LivePane } from '../daemon-live/live-agents.ts';
import { LiveDaemon, Subscriber, wordOf } from '../daemon-live/live-daemon.ts';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { active, FakeAppServer, type FakeThread, idle, threadIdOf } from './fake-codex.ts';

/** A fake in a folder of its own, and its thread. */
function codexIn(live: LiveDaemon, session: string): { pane: LivePane; thread: FakeThread } {
  const cwd = join(live.tmux.folder, session);
  mkdirSync(cwd);
  const command = `cd '${cwd}' && ${fakeCommand(live.tmux, 'codex')}`;
  const pane = LivePane.of(live.tmux, live.tmux.newSession(session, command));
  const thread = { id: threadIdOf(Date.now() + 500, Number(pane.paneId.slice(1))), cwd };
  return { pane, thread };
}

function emit(live: LiveDaemon, pane: LivePane, event: string, thread: FakeThread): void {
  const payload = JSON.stringify({ hook_event_name: event, session_id: thread.id, cwd: '/p' });
  const args = ['--source', 'codex-hooks', '--agent', 'codex', '--shared', 'yes'];
  execFileSync(join(root, 'emitter', 'agtmux-emit'), [...args, '--event', event, payload], {
    env: { ...live.env, TMUX: `${live.tmux.socketPath},1,0`, TMUX_PANE: pane.paneId },
  });
}

describe.skipIf(isTmuxMissing)('the files of Codex', () => {
  test('give the state of the pane of each thread, and so do its hooks', async () => {
    await using live = new LiveDaemon();
    const socketPath = join(live.tmux.folder, '.codex/app-server-control/app-server-control.sock');
    const server = new FakeAppServer(socketPath);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const [one, two] = [codexIn(live, 'one'), codexIn(live, 'two')];
    server.hold(one.thread, two.thread);
    await live.start();
    using subscriber = new Subscriber(await live.client());
    const until = (pane: LivePane, word: string, source: string) =>
      subscriber.until(
        pane.paneId,
        (row) => wordOf(row) === word && row.evidence.source === source,
        `${pane.paneId} is ${word} by ${source}`,
      );
    await until(one.pane, 'idle', 'codex-app-server');
    await until(two.pane, 'idle', 'codex-app-server');

    server.status(two.thread, active());
    await until(two.pane, 'running', 'codex-app-server');
    server.status(two.thread, active('waitingOnApproval'));
    await until(two.pane, 'waiting_approval', 'codex-app-server');
    server.status(two.thread, active());
    await until(two.pane, 'running', 'codex-app-server');
    // With the environment of the pane that started the server first.
    emit(live, one.pane, 'Stop', two.thread);
    server.status(two.thread, idle);
    await until(two.pane, 'completed', 'codex-hooks');

    server.status(one.thread, active());
    await until(one.pane, 'running', 'codex-app-server');
    server.status(one.thread, { type: 'systemError' });
    await until(one.pane, 'error/api_error', 'codex-app-server');
    const paneStates = subscriber.states.filter(({ paneId }) => paneId === one.pane.paneId);
    expect(paneStates.map(({ state }) => state)).not.toContain('completed');
  });
});
