// What an agent on another machine writes for itself is read over ssh as at home: its session file
// and its transcript, by the probe, with nothing installed there.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { FakeClaude } from '../agent-files/fake-claude.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, wordOf } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

describe.skipIf(isSshdMissing)('the files of an agent on an ssh target', () => {
  test('give each step of its turns', async () => {
    await using remote = await RemoteHost.start();
    await using live = new LiveDaemon();
    introduce(live, { vm1: remote });
    live.tmux.newSession('home', 'cat');
    const { tmux } = remote;
    const pane = fakeAgent(tmux, 'claude', 'work');
    const cwd = join(tmux.folder, 'my.project');
    mkdirSync(cwd);
    const config = join(tmux.folder, '.claude');
    const claude = new FakeClaude({ config, pid: pane.pid, cwd, sessionId: 'session-a' });
    claude.status('idle');
    await live.start();
    const client = await live.client();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    const until = (word: string, source: string): Promise<PaneItem> =>
      eventually(
        async () => {
          const row = (await client.call('list_panes', { target: 'vm1' })).panes[0];
          const isSo = row && wordOf(row) === word && row.evidence.source?.startsWith(source);
          return isSo ? row : null;
        },
        `${word} by ${source}`,
        20_000,
      );
    const idle = await until('idle', 'claude-session-file');
    expect(idle).toMatchObject({ target: 'vm1', agent: 'claude' });
    claude.prompt('remove the build');
    claude.status('busy');
    await until('running', 'claude-');
    claude.waits();
    await until('waiting_approval', 'claude-session-file');
    claude.says({ type: 'text', text: 'It is gone.\nAll of it.' });
    claude.interrupted();
    claude.status('idle');
    const last = await until('idle/interrupted', 'claude-transcript');
    expect(last.activity).toMatchObject({ prompt: 'remove the build', message: 'It is gone.' });
  });
});
