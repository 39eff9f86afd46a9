// The life of a target: over restarts of the daemon, its kill, a host that is dead at the start,
// and the end of it. Nothing is invented, nothing is left behind.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, privateTmux } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';
import { fakeAgent } from './live-agents.ts';

const LONG_MS = 180_000;

/** No connection and no shell of ours is left on the host, and no client at its tmux. */
async function expectNothingLeft(fleet: Fleet, name: string): Promise<void> {
  const { sshd } = fleet.host(name);
  const connections = () => sshd.connectionPids().length + sshd.sessionPids().length;
  await eventually(() => connections() === 0, 'no session is left on the host', REACH_MS);
  await eventually(() => fleet.clientsOf(name) === 0, 'no tmux client is left there', REACH_MS);
}

describe.skipIf(isSshdMissing)('a target', () => {
  test(
    'is right again after a restart of the daemon, with the same runtimes',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      const before = await fleet.shows('vm1', 'waiting_approval');
      await fleet.shows('vm2', 'running');
      const { pid } = await fleet.client.call('daemon_info', {});
      await fleet.homeNeverStalled();
      await fleet.live.kill(pid, 'SIGTERM');
      await expectNothingLeft(fleet, 'vm1');
      await fleet.host('vm2').sshd.stop();
      await fleet.startDaemon();
      const { states } = fleet.subscriber;
      const after = await fleet.until('vm1', 'waiting_approval');
      expect(after).toMatchObject({ runtime_id: before.runtime_id, pane_key: before.pane_key });
      await fleet.until('vm2', 'unknown/target_unreachable');
      expect(Date.parse((await fleet.row('vm2'))?.last_seen_at ?? '')).toBeLessThan(Date.now());
      const statesOf = (name: string): readonly string[] =>
        states.filter(({ target }) => target === name).map(({ state }) => state);
      expect(statesOf('vm1').at(-1)).toBe('waiting_approval');
      expect(
        statesOf('vm1')
          .slice(0, -1)
          .every((state) => state.startsWith('unknown/')),
      ).toBe(true);
      expect(statesOf('vm2').every((state) => state.startsWith('unknown/'))).toBe(true);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'is left without a trace by a daemon that is killed',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      const { pid } = await fleet.client.call('daemon_info', {});
      await fleet.homeNeverStalled();
      // Clients attach to a tmux server once it is quiet.
      await eventually(() => fleet.sshProcesses().length > 4, 'clients on both hosts', REACH_MS);
      await fleet.live.kill(pid, 'SIGKILL');
      await eventually(() => fleet.sshProcesses().length === 0, 'no ssh is left', REACH_MS);
      for (const name of ['vm1', 'vm2']) await expectNothingLeft(fleet, name);
    },
    LONG_MS,
  );

  test(
    'that is removed is forgotten, with its rows, its channels, its alerts and its processes',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      // Something to be alarmed at, so that an alert would be left.
      fleet.host('vm1').tmux.killServer();
      const alerts = async (): Promise<string> =>
        JSON.stringify((await fleet.client.call('list_alerts', {})).alerts);
      await eventually(async () => (await alerts()).includes('vm1'), 'there is an alert', REACH_MS);
      const refused = await fleet.live.cli('target', 'remove', 'vm1');
      expect(refused).toMatchObject({ code: 64, err: expect.stringContaining('--yes') });
      const removed = await fleet.live.cli('target', 'remove', 'vm1', '--yes');
      expect(removed).toMatchObject({ code: 0, err: '' });
      const { sshd } = fleet.host('vm1');
      await eventually(() => sshd.connectionPids().length === 0, 'it is let go', REACH_MS);
      await eventually(() => sshd.sessionPids().length === 0, 'nothing is left there', REACH_MS);
      const { panes, requested_targets } = await fleet.client.call('list_panes', {
        include_missing: true,
      });
      expect(panes.map(({ target }) => target).sort()).toEqual(['local', 'vm2']);
      expect(requested_targets).toEqual(['local', 'vm2']);
      const { sources } = await fleet.client.call('list_source_health', {});
      expect(sources.filter(({ channel }) => channel.includes('vm1'))).toEqual([]);
      expect(await alerts()).not.toContain('vm1');
      await fleet.add('vm1');
      await fleet.health('vm1', 'ok');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'has one tmux server at a time, wherever a login says that it is',
    async () => {
      using elsewhere = privateTmux(join(`tmux-${process.getuid?.() ?? 0}`, 'default'));
      const environment = join(elsewhere.folder, 'environment');
      writeFileSync(environment, '');
      const config = [`ForceCommand . ${environment}; eval "$SSH_ORIGINAL_COMMAND"`];
      await using fleet = await Fleet.start({ vm1: { config }, vm2: {} });
      await fleet.shows('vm1', 'running');
      const agent = fakeAgent(elsewhere, 'claude', 'elsewhere');
      agent.show('claude/111-waiting_approval');
      writeFileSync(environment, `TMUX_TMPDIR=${elsewhere.folder}; export TMUX_TMPDIR\n`);
      fleet.host('vm1').sshd.cut();
      await fleet.until('vm1', 'waiting_approval');
      const { servers } = await fleet.client.call('daemon_info', {});
      const ofVm1 = servers.filter(({ target }) => target === 'vm1');
      expect(ofVm1.map(({ server }) => server)).toEqual([elsewhere.socketPath]);
      expect((await fleet.rows('vm1')).map(({ identity }) => identity?.session_name)).toEqual([
        'elsewhere',
      ]);
      const { sources } = await fleet.client.call('list_source_health', {});
      const { socketPath } = fleet.host('vm1').tmux;
      expect(sources.filter(({ channel }) => channel.includes(socketPath))).toEqual([]);
      await eventually(() => fleet.clientsOf('vm1') === 0, 'the other is let go', REACH_MS);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
