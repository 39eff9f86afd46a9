// Hosts that are lost in every way: each row says what is known, the others and this machine go on,
// and all of it is right again by itself.

import { describe, expect, test } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS, sharedFleet } from './fleet.ts';
import { fakeAgent } from './live-agents.ts';

const LONG_MS = 180_000;

describe.skipIf(isSshdMissing)('a host that is lost', () => {
  // Not for the longer losses: after those the next try comes late.
  const started = sharedFleet({ vm1: {}, vm2: {} });

  test(
    'is unreachable, last seen when it was, and right again when it is back',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      const before = await fleet.shows('vm1', 'running');
      await fleet.shows('vm2', 'running');
      await fleet.host('vm1').sshd.stop();
      const stoppedAtMs = Date.now();
      const lost = await fleet.until('vm1', 'unknown/target_unreachable');
      expect(lost).toMatchObject({ presence: 'managed', runtime_id: before.runtime_id });
      expect(Date.parse(lost.last_seen_at)).toBeLessThan(stoppedAtMs + 1_000);
      const listed = await fleet.client.call('list_panes', {});
      expect(listed).toMatchObject({
        partial: true,
        requested_targets: ['local', 'vm1', 'vm2'],
        responded_targets: ['local', 'vm2'],
        target_errors: [{ target: 'vm1', code: 'target_unreachable' }],
      });
      expect(listed.target_errors[0]?.message).toContain('Connection refused');
      await fleet.shows('vm2', 'waiting_approval');
      // What it did meanwhile is published, and never again what it did before.
      fleet.agent('vm1').show('claude/111-waiting_approval');
      const { states } = fleet.subscriber;
      const from = states.length;
      await fleet.host('vm1').sshd.run();
      const back = await fleet.until('vm1', 'waiting_approval');
      expect(back.runtime_id).toBe(before.runtime_id);
      const since = states.slice(from).filter(({ target }) => target === 'vm1');
      expect(since.map(({ state }) => state)).not.toContain('running');
      await fleet.health('vm1', 'ok');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'for a moment only keeps its rows',
    async () => {
      const fleet = started();
      await fleet.shows('vm1', 'running');
      const { states } = fleet.subscriber;
      const from = states.length;
      fleet.host('vm1').sshd.cut();
      await fleet.shows('vm1', 'waiting_approval');
      const since = states.slice(from).filter(({ target }) => target === 'vm1');
      expect(since.map(({ state }) => state)).toEqual(['waiting_approval']);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'because it is frozen is reported as slow, and delays nobody',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      await fleet.shows('vm1', 'running');
      fleet.host('vm1').sshd.freeze();
      await fleet.shows('vm2', 'running');
      await fleet.until('vm1', 'unknown/target_unreachable');
      expect((await fleet.target('vm1')).detail).toContain('did not answer in time');
      await fleet.shows('vm2', 'waiting_approval');
      fleet.host('vm1').sshd.thaw();
      await fleet.shows('vm1', 'waiting_approval');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'is another matter than a tmux server that has ended: its panes are gone',
    async () => {
      const fleet = started();
      const before = await fleet.shows('vm1', 'running');
      const { tmux } = fleet.host('vm1');
      tmux.killServer();
      const gone = await eventually(
        async () => (await fleet.rows('vm1')).find(({ presence }) => presence === 'missing'),
        'its pane is gone',
        REACH_MS,
      );
      expect(gone).toMatchObject({ state: 'unknown', reason_code: 'pane_gone' });
      expect(await fleet.row('vm1')).toBeNull();
      expect(await fleet.target('vm1')).toMatchObject({ health: 'ok', detail: null });
      expect(await fleet.client.call('list_panes', {})).toMatchObject({ partial: false });
      const again = fakeAgent(tmux, 'claude', 'work');
      again.show('claude/104-running');
      const after = await fleet.until('vm1', 'running');
      expect(after.identity?.pane_id).toBe(before.identity?.pane_id);
      expect(after.pane_key).not.toBe(before.pane_key);
      expect(after.runtime_id).not.toBe(before.runtime_id);
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
