// Machines and tmux servers that go away while agents are in them: every surface names them, rows
// keep what was last known, and it ends when they are back.

import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon } from './live-daemon.ts';

const LONG_MS = 180_000;

async function started(change: (live: LiveDaemon) => void = () => {}) {
  const live = new LiveDaemon();
  onTestFinished(() => live[Symbol.asyncDispose]());
  change(live);
  await live.start();
  const client = await live.client();
  const outages = async () => (await client.call('list_panes', {})).outages;
  return { live, client, outages };
}

describe.skipIf(isTmuxMissing)('this machine', () => {
  test(
    'says that a tmux server ended, with what was in it',
    async () => {
      const { live, client, outages } = await started(({ tmux }) => {
        fakeAgent(tmux, 'claude', 'work').show('claude/111-waiting_approval');
      });
      await eventually(
        async () => (await client.call('list_panes', {})).summary.needs_action === 1,
        'the agent waits',
      );
      live.tmux.killServer();
      const [ended] = await eventually(async () => {
        const found = (await outages()).filter(({ code }) => code === 'tmux_ended');
        return found.length > 0 ? found : null;
      }, 'the end is a message');
      expect(ended).toMatchObject({
        target: 'local',
        text: expect.stringMatching(/^tmux server \S+ ended$/),
        detail: '1 agent and 1 pane are gone with it',
      });
      const { out } = await live.cli('list', 'panes');
      expect(out).toMatch(/tmux server \S+ ended \d+s ago: 1 agent and 1 pane are gone with it/);
      const { out: status } = await live.cli('status');
      expect(status).toContain('tmux_ended');
      const { out: shown } = await live.cli('alerts', '--json');
      const { alerts } = JSON.parse(shown) as { alerts: { code: string; alert_id: string }[] };
      const id = alerts.find(({ code }) => code === 'tmux_ended')?.alert_id ?? '';
      expect((await live.cli('alerts', 'resolve', id)).code).toBe(0);
      expect((await outages()).map(({ code }) => code)).not.toContain('tmux_ended');
    },
    LONG_MS,
  );

  test(
    'without a tmux server, and without tmux, says which of the two it is',
    async () => {
      await using live = new LiveDaemon();
      // The command starts the daemon, with the same PATH.
      const list = () => live.cliWith({ PATH: '/nowhere' }, 'list');
      const { out } = await eventually(async () => {
        const listed = await list();
        return listed.out.includes('no tmux on this machine') ? listed : null;
      }, 'the missing tmux is said');
      expect(out).toContain('No panes.');
      expect(out).toContain('no tmux on this machine: tmux is not on PATH; install it');
      // With a tmux, what is missing is its server.
      const there = await eventually(async () => {
        expect((await live.cli('daemon', 'stop')).code).toBe(0);
        const listed = await live.cli('list');
        return listed.out.includes('no tmux server') ? listed : null;
      }, 'the missing server is said');
      expect(there.out).toContain(
        'no tmux server that is watched on this machine; start one with: tmux new-session, ' +
          'or name yours in tmux.sockets of config.toml',
      );
      expect(there.out).not.toContain('no tmux on this machine');
      expect((await live.cli('daemon', 'stop')).code).toBe(0);
    },
    LONG_MS,
  );
});

test.skipIf(isSshdMissing)(
  'a host that is down is named with its last known states, and by no count',
  async () => {
    await using fleet = await Fleet.start({ vm1: {} });
    const { client } = fleet;
    const before = await fleet.shows('vm1', 'waiting_approval');
    await fleet.host('vm1').sshd.stop();
    const lost = await fleet.until('vm1', 'unknown/target_unreachable');
    expect(lost.last_known).toEqual({
      state: 'waiting_approval',
      reason_code: null,
      since: before.since,
    });
    const list = await client.call('list_panes', {});
    const [outage] = list.outages;
    expect(outage).toMatchObject({ code: 'target_unreachable', text: 'vm1 down' });
    expect(list.summary.by_target['vm1']?.needs_action).toBe(0);
    const { out } = await fleet.live.cli('list', 'panes');
    expect(out).toMatch(/~ vm1 down for \d+s, was waiting_approval/);
    expect(out).toMatch(/\nvm1 down for \d+s: .*Connection refused/);
    const status = await fleet.live.cli('status');
    expect(status).toMatchObject({ code: 1, out: expect.stringContaining('target_unreachable') });
    // The time of the last answer survives a restart.
    const { pid } = await client.call('daemon_info', {});
    await fleet.live.kill(pid, 'SIGTERM');
    await fleet.startDaemon();
    const again = await eventually(
      async () => {
        const { outages } = await fleet.client.call('list_panes', {});
        return outages.find(({ code }) => code === 'target_unreachable') ?? null;
      },
      'it is down after the restart too',
      REACH_MS,
    );
    expect(again.since).toBe(outage?.since);
    await fleet.host('vm1').sshd.run();
    await fleet.until('vm1', 'waiting_approval');
    await eventually(
      async () => (await fleet.client.call('list_panes', {})).outages.length === 0,
      'it is back',
      REACH_MS,
    );
  },
  LONG_MS,
);
