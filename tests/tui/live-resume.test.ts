// R in a view in a real tmux: an agent that was killed goes on with its session, as the view has
// started it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ResumableClaude, sessionOf } from '../acting/resumable.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { LiveTui } from './live-tui.ts';

const AGENT_MS = 30_000;

describe.skipIf(isTmuxMissing)('R', () => {
  let live: LiveDaemon;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('home', 'cat');
    live.tmux.run('set-environment', '-g', 'HOME', live.env['HOME'] ?? '');
    await live.start();
  }, 60_000);
  afterAll(() => live?.[Symbol.asyncDispose]());

  it('starts the chosen agent again with its session', async () => {
    const claude = new ResumableClaude(live.folder, live.env['HOME'] ?? '');
    const client = await live.client(90_000);
    const session = sessionOf('a');
    const shell = "exec env PS1='$ ' bash --norc --noprofile";
    const print = ['-P', '-F', '#{pane_id}'];
    const place = ['-s', 'work', '-c', live.folder];
    const ref = live.tmux.run('new-session', '-d', ...print, ...place, shell);
    live.tmux.run('send-keys', '-t', ref, '-l', claude.line(session));
    live.tmux.run('send-keys', '-t', ref, 'Enter');
    const find = async (isWanted: (paneId: string) => boolean) => {
      const { panes } = await client.call('list_panes', {});
      return panes.find(
        ({ identity, session_key: key }) => key === session && isWanted(identity?.pane_id ?? ''),
      );
    };
    const agent = await eventually(() => find((id) => id === ref), 'it has a session', AGENT_MS);
    process.kill(agent?.pid ?? 0, 'SIGKILL');
    await eventually(
      async () => (await client.call('list_ended_agents', {})).agents.length === 1,
      'it is listed as ended',
      AGENT_MS,
    );
    const env = { PATH: claude.path, SHELL: '/bin/sh' };
    const tui = new LiveTui(live, { columns: 120, rows: 30, env });
    await tui.shows('local/work');
    tui.type('R');
    await tui.until((screen) => / claude +work /.test(screen), 'the agent is listed');
    tui.keys('Enter');
    await tui.shows('delivered: claude goes on in %');
    expect(claude.starts().at(-1)).toEqual({ args: ['--resume', session], cwd: live.folder });
    expect(await find((id) => id !== ref)).toBeDefined();
  }, 90_000);
});
