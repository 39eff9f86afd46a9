// A Claude Code outside of tmux, as far as its session file tells of it: listed without a pane, in
// its state, and gone with its process.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { FakeClaude } from '../agent-files/fake-claude.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { LiveDaemon } from './live-daemon.ts';

const WAIT_MS = 20_000;
const SESSION = 'c3d6b61f-6924-4c9a-862f-a507526529ef';
const OTHER = 'a0c1e0b4-55aa-4d7e-9a3c-0f6f2f0c9d11';

describe.skipIf(isTmuxMissing)('an agent without a pane', () => {
  let live: LiveDaemon;
  let daemonPid = 0;

  beforeAll(async () => {
    live = new LiveDaemon();
    live.tmux.newSession('quiet');
    daemonPid = await live.start();
  });
  afterAll(() => live?.[Symbol.asyncDispose]());

  test('is listed as such, explained by its runtime, and gone with its process', async () => {
    const agent = spawn('sleep', ['1000'], { env: live.env, stdio: 'ignore' });
    const pid = agent.pid ?? 0;
    const claude = new FakeClaude({
      config: join(live.folder, 'home', '.claude'),
      pid,
      cwd: '/srv/shop',
      sessionId: SESSION,
      startedAtMs: Date.now() - 60_000,
    });
    claude.status('busy', { name: 'shop-1' });
    const client = await live.client();
    const seat = async (): Promise<PaneItem | undefined> => {
      const { panes } = await client.call('list_panes', {});
      return panes.find(({ identity }) => identity === null);
    };
    const inState = (state: string) =>
      eventually(
        async () => {
          const found = await seat();
          return found?.state === state ? found : null;
        },
        `an agent without a pane is ${state}`,
        WAIT_MS,
      );
    const row = await inState('running');
    expect(row).toMatchObject({
      agent: 'claude',
      title: 'shop-1',
      current_path: '/srv/shop',
      session_key: SESSION,
      pid,
      locations: [],
    });
    const { summary } = await client.call('list_panes', {});
    expect(summary).toMatchObject({ panes: 1, agents: 1 });
    const { windows } = await client.call('list_windows', {});
    expect(windows.map(({ agents }) => agents)).toEqual([0]);
    const bySession = await client.call('list_panes', { session: 'quiet' });
    expect(bySession.panes.map((each) => each.agent)).toEqual([null]);
    const { out } = await live.cli('explain', row.ref);
    expect(row.ref).toBe(`runtime:${row.runtime_id}`);
    expect(out).toContain('without a pane');
    const listed = await live.cli('list', 'panes');
    expect(listed.out).toMatch(/running .*claude .*without a pane .*shop-1/);
    agent.kill('SIGKILL');
    await eventually(async () => (await seat()) === undefined, 'it is gone', WAIT_MS);
  });

  test('keeps its dialog over a restart of the daemon: it is never gone', async () => {
    const agent = spawn('sleep', ['1000'], { env: live.env, stdio: 'ignore' });
    const claude = new FakeClaude({
      config: join(live.folder, 'home', '.claude'),
      pid: agent.pid ?? 0,
      cwd: '/srv/shop',
      sessionId: OTHER,
      startedAtMs: Date.now() - 60_000,
    });
    claude.waits();
    /** The agent when something was read of it in this life of the daemon. */
    const waiting = async (): Promise<PaneItem> => {
      const client = await live.client();
      return eventually(
        async () => {
          const { panes } = await client.call('list_panes', {});
          const found = panes.find(({ session_key }) => session_key === OTHER);
          const isRead = found?.reason_code !== 'reconfirming';
          return found?.state === 'waiting_approval' && isRead ? found : null;
        },
        'it waits',
        WAIT_MS,
      );
    };
    const requestIds = ({ attention }: PaneItem) =>
      attention.requests.map(({ request_id }) => request_id);
    const before = await waiting();
    expect(requestIds(before)).toHaveLength(1);
    const goneCount = (): unknown => {
      using store = new DatabaseSync(join(live.folder, 'state', 'agtmux', 'agtmux.db'), {
        readOnly: true,
      });
      const gone = store.prepare(
        `SELECT count(*) AS count FROM events WHERE event_type = 'pane.gone' AND body LIKE ?`,
      );
      return gone.get(`%${OTHER}%`)?.['count'];
    };
    await live.kill(daemonPid, 'SIGTERM');
    daemonPid = await live.start();
    const after = await waiting();
    expect(requestIds(after)).toEqual(requestIds(before));
    expect(goneCount()).toBe(0);
    agent.kill('SIGKILL');
    await eventually(() => goneCount() === 1, 'it is gone with its process', WAIT_MS);
  });
});
