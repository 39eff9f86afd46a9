// Hosts that say no: to the login, to its key, to more sessions, to tmux. Each says why, and hurts
// neither the other hosts nor this machine.

import { describe, expect, test } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { canHide, isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';
import { fakeAgent } from './live-agents.ts';

const LONG_MS = 180_000;

describe.skipIf(isSshdMissing)('a host that refuses', () => {
  test(
    'the login is down and says so; after a person has seen to it, connect reaches it',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      const before = await fleet.shows('vm1', 'running');
      const { sshd } = fleet.host('vm1');
      sshd.refuseLogins();
      sshd.cut();
      const lost = await fleet.until('vm1', 'unknown/target_unreachable');
      expect(lost.runtime_id).toBe(before.runtime_id);
      const { health, detail } = await fleet.target('vm1');
      expect({ health, detail }).toEqual({
        health: 'down',
        detail: expect.stringContaining('refused the authentication'),
      });
      const { code, out } = await fleet.live.cli('target', 'connect', 'vm1');
      expect({ code, out }).toEqual({ code: 69, out: expect.stringContaining('refused the') });
      await fleet.shows('vm2', 'running');
      sshd.allowLogins();
      expect(await fleet.live.cli('target', 'connect', 'vm1')).toMatchObject({ code: 0 });
      expect((await fleet.until('vm1', 'running')).runtime_id).toBe(before.runtime_id);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'because its key has changed is never logged in to',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      await fleet.shows('vm1', 'running');
      const { sshd } = fleet.host('vm1');
      await sshd.stop();
      sshd.changeHostKey();
      await sshd.run();
      await fleet.until('vm1', 'unknown/target_unreachable');
      await eventually(
        async () => (await fleet.target('vm1')).detail?.includes('key of the host has changed'),
        'it says why',
        REACH_MS,
      );
      await fleet.shows('vm2', 'running');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'more sessions than a few is watched with fewer taps, rightly all the same, and says so',
    async () => {
      await using fleet = await Fleet.start({ vm1: { config: ['MaxSessions 3'] }, vm2: {} });
      const { tmux } = fleet.host('vm1');
      const more = Array.from({ length: 11 }, (_, index) => fakeAgent(tmux, 'claude', `s${index}`));
      for (const agent of more) agent.show('claude/104-running');
      fleet.agent('vm1').show('claude/104-running');
      const states = async (): Promise<readonly string[]> => {
        const { panes } = await fleet.client.call('list_panes', { target: 'vm1' });
        return panes.map(({ state }) => state);
      };
      const all = (state: string) => async (): Promise<boolean> => {
        const found = await states();
        return found.length === 12 && found.every((each) => each === state);
      };
      await eventually(all('running'), 'all run', REACH_MS);
      await eventually(
        async () => (await fleet.target('vm1')).detail?.includes('MaxSessions'),
        'it says so',
        REACH_MS,
      );
      const tapsOf = async (target: string): Promise<number | undefined> => {
        const { servers } = await fleet.client.call('daemon_info', {});
        return servers.find((each) => each.target === target)?.taps;
      };
      await eventually(
        async () => (await tapsOf('vm1')) === 8,
        'eight of them are tapped',
        REACH_MS,
      );
      for (const agent of [fleet.agent('vm1'), ...more]) agent.show('claude/111-waiting_approval');
      await eventually(all('waiting_approval'), 'all wait', REACH_MS);
      expect(await fleet.target('vm1')).toMatchObject({ health: 'ok' });
      await fleet.shows('vm2', 'running');
      expect(await fleet.target('vm2')).toMatchObject({ health: 'ok', detail: null });
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test.skipIf(!canHide)(
    'nothing but has no tmux is degraded, with the reason',
    async () => {
      const mounts = [{ from: '/dev/null', over: '/usr/bin/tmux' }];
      await using fleet = await Fleet.start({ vm1: { mounts }, vm2: {} });
      const { detail } = await eventually(
        async () => {
          const target = await fleet.target('vm1');
          return target.last_seen_at !== null && target.health === 'degraded' ? target : null;
        },
        'it answers',
        REACH_MS,
      );
      expect(detail).toBe('there is no tmux on the host');
      const { code, out } = await fleet.live.cli('target', 'connect', 'vm1');
      expect({ code, out }).toEqual({ code: 69, out: expect.stringContaining('no tmux') });
      expect(await fleet.row('vm1')).toBeNull();
      expect(await fleet.client.call('list_panes', { target: 'vm1' })).toMatchObject({
        partial: false,
        responded_targets: ['vm1'],
      });
      await fleet.shows('vm2', 'running');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
