// Other machines over a real sshd on loopback: their agents are seen as those at home, a lost or
// frozen host is reported as slow and delays nobody else.

import { describe, expect, test } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

describe.skipIf(isSshdMissing)('an ssh target', () => {
  test('shows its agents with their states beside those of this machine', async () => {
    await using remote = await RemoteHost.start();
    await using live = new LiveDaemon();
    introduce(live, { vm1: remote });
    live.tmux.newSession('home', 'cat');
    const agent = fakeAgent(remote.tmux, 'claude', 'work');
    await live.start();
    const client = await live.client();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    const row = async (): Promise<PaneItem | undefined> =>
      (await client.call('list_panes', { target: 'vm1' })).panes[0];
    await eventually(async () => (await row())?.agent === 'claude', 'it is found', 20_000);
    for (const screen of ['104-running', '111-waiting_approval', '115-running']) {
      const state = agent.show(`claude/${screen}`);
      await eventually(async () => (await row())?.state === state, `it shows ${state}`);
    }
    expect(await row()).toMatchObject({ target: 'vm1', presence: 'managed' });
    const { panes } = await client.call('list_panes', {});
    expect(panes.map(({ target }) => target).sort()).toEqual(['local', 'vm1']);
  });
});
