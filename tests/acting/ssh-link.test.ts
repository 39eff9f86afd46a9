// A link to another machine that is lost before, during or after the keys: nothing is typed twice,
// what nobody has seen is unconfirmed, and a machine that does not answer is a named refusal.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab, SSH_TARGET } from './acting-lab.ts';

const CUTS = repeats(40);
const REACH_MS = 60_000;
/** Longer than an action looks for proof. */
const LATE_MS = 1_500;

describe.skipIf(isSshdMissing).each(['when_safe', 'always'] as const)(
  'over ssh, with attach = %s,',
  (attach) => {
    let lab: ActingLab;
    let paneId = '';
    let ref = '';
    beforeAll(async () => {
      lab = await ActingLab.open({ attach, isRemote: true });
      paneId = lab.openShell('agent');
      ref = (await lab.startAgent(paneId)).pane_key;
    }, 90_000);
    afterAll(() => lab[Symbol.asyncDispose]());

    const outcomeOf = (text: string, more: object = {}): Promise<string> =>
      lab.client.call('send', { ref, text, ...more }).then(
        ({ result }) => `${result}`,
        ({ code }) => String(code),
      );
    const countOf = (text: string): number =>
      lab.received().filter(({ submitted }) => submitted === text).length;

    /** The box is empty, and the daemon sees that. */
    async function untilReady(): Promise<void> {
      await lab.client.call('connect_target', { name: SSH_TARGET });
      const isReady = async () => {
        const outcome = await outcomeOf('ready?', { dry_run: true });
        if (outcome === 'E_DRAFT_PRESENT') lab.tmux.run('send-keys', '-t', paneId, 'Enter');
        return outcome === 'dry_run';
      };
      await eventually(isReady, 'the agent is seen with an empty box', REACH_MS);
    }

    it('that is cut at any moment, a text is submitted once or not at all', async () => {
      const outcomes: string[] = [];
      for (let at = 0; at < CUTS; at += 1) {
        await untilReady();
        const text = `cut number ${at} of some`;
        let isOver = false;
        const sending = outcomeOf(text, { request_ref: text }).finally(() => {
          isOver = true;
        });
        // Half of them between the paste and the Enter, the others anywhere.
        if (at % 2 === 0) {
          const isPasted = () => isOver || lab.screen(paneId).includes(text);
          await eventually(isPasted, 'the paste', REACH_MS);
        } else await new Promise((resolve) => setTimeout(resolve, (at * 97) % 500));
        lab.remote?.sshd.cut();
        const outcome = await sending;
        outcomes.push(outcome);
        const counted = countOf(text);
        expect(counted).toBeLessThan(2);
        if (outcome === 'delivered') expect(counted).toBe(1);
        if (!['delivered', 'unconfirmed'].includes(outcome)) expect(counted).toBe(0);
        // The same request again is no second action.
        expect(await outcomeOf(text, { request_ref: text })).toBe(outcome);
        expect(countOf(text)).toBe(counted);
      }
      expect(outcomes.filter((each) => each === 'unconfirmed').length).toBeGreaterThan(0);
    }, 600_000);

    // How a command is written makes no difference to a host that is frozen or down.
    const itOnce = it.skipIf(attach === 'always');

    itOnce(
      'that is frozen after the paste, it is unconfirmed, and no Enter comes late',
      async () => {
        await untilReady();
        const text = 'before the frost';
        const sending = outcomeOf(text);
        await eventually(() => lab.screen(paneId).includes(text), 'the paste', REACH_MS);
        lab.remote?.sshd.freeze();
        const outcome = await sending;
        const counted = countOf(text);
        lab.remote?.sshd.thaw();
        expect(['unconfirmed', 'delivered']).toContain(outcome);
        await untilReady();
        await new Promise((resolve) => setTimeout(resolve, LATE_MS));
        expect(countOf(text)).toBeLessThan(2);
        if (outcome === 'delivered') expect(counted).toBe(1);
      },
      200_000,
    );

    itOnce(
      'that is down, every action is refused by name and has no effect',
      async () => {
        await untilReady();
        const before = lab.received().length;
        await lab.remote?.sshd.stop();
        // Nobody knows it yet, and then everybody does.
        expect(await outcomeOf('never')).toBe('E_TARGET_UNREACHABLE');
        const isDown = async () => (await lab.pane(paneId))?.reason_code === 'target_unreachable';
        await eventually(isDown, 'it is known to be down', REACH_MS);
        const orders = [
          lab.client.call('choose', { ref, choice: { role: 'approve' } }),
          lab.client.call('interrupt', { ref }),
          lab.client.call('press', { ref, keys: ['x'], force: true }),
          lab.client.call('kill', { ref, signal: 'KILL' }),
        ];
        for (const order of orders) {
          await expect(order).rejects.toMatchObject({ code: 'E_TARGET_UNREACHABLE' });
        }
        const { code, err } = await lab.live.cli('send', ref, '--text', 'never');
        expect(err).toContain('E_TARGET_UNREACHABLE');
        expect(code).not.toBe(0);
        expect(lab.received()).toHaveLength(before);
        expect(lab.screen(paneId)).not.toContain('never');
      },
      200_000,
    );
  },
);
