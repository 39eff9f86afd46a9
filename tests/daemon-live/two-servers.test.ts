// A daemon that was started by a command inside a tmux server with a name of its own. What waits on
// the usual server must be shown all the same, as it is when the daemon was started outside.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaneList } from '../../src/schema/api/panes.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

describe.skipIf(isTmuxMissing)('a daemon that was started inside another tmux server', () => {
  let live: LiveDaemon;
  let usual: PrivateTmux;

  beforeAll(async () => {
    live = new LiveDaemon();
    usual = privateTmux(`tmux-${process.getuid?.() ?? 0}/default`);
    delete live.env['AGTMUX_TMUX_SOCKET_PATH'];
    live.env['TMUX_TMPDIR'] = usual.folder;
    live.env['TMUX'] = `${live.tmux.socketPath},1,0`;
    live.tmux.newSession('outer');
    await live.start();
    delete live.env['TMUX'];
  });
  afterAll(async () => {
    await live?.[Symbol.asyncDispose]();
    usual?.[Symbol.dispose]();
  });

  test('shows what waits on the usual server, and nobody misses that one before', async () => {
    const { alerts } = JSON.parse((await live.cli('alerts', '--json')).out);
    expect(alerts.map(({ code }: { code: string }) => code)).not.toContain('tmux_absent');
    const pane = fakeAgent(usual, 'claude', 'api');
    pane.show('claude/111-waiting_approval');
    const waiting = await eventually(async () => {
      const { panes } = JSON.parse((await live.cli('list', '--json')).out) as PaneList;
      return panes.find(({ state }) => state === 'waiting_approval');
    }, 'the approval is listed');
    expect(waiting.identity).toMatchObject({ server: usual.socketPath, session_name: 'api' });
    expect(await live.cli('list')).toMatchObject({ code: 0, err: '' });
  });

  test('says in a third server that it is not watched, and the remedy works', async () => {
    using third = privateTmux();
    third.newSession('third');
    const note = `does not watch this tmux server (${third.socketPath})`;
    const env = { TMUX: `${third.socketPath},1,0` };
    for (const words of [['list'], ['status'], ['explain', 'third:0']]) {
      expect((await live.cliWith(env, ...words)).err).toContain(note);
    }
    live.configure(`[tmux]\nsockets = ["${third.socketPath}"]\n`);
    await eventually(
      async () => (await live.cliWith(env, 'explain', 'third:0')).code === 0,
      'it is watched',
    );
    expect((await live.cliWith(env, 'list')).err).toBe('');
  });
});
