// Answers, keys and interrupts against dialogs that open or replace each other at random moments:
// no dialog is answered but the one that was shown, and none by a key that was meant for else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab } from './acting-lab.ts';
import { dice, inPanes, places, signal } from './race-lab.ts';

const ACTIONS = 400;
/**
 * A key that is on its way when the agent draws another dialog is read by that one: no screen shows
 * it in time. Agents drop keys that come so soon after a dialog; these are counted, and are rare.
 */
const ON_ITS_WAY_MS = 100;
const ON_ITS_WAY_SHARE_MAX = 0.05;
const WAIT_MS = 30_000;

interface Answer {
  readonly command: string;
  readonly ageMs: number;
}

interface Try {
  readonly kind: string;
  readonly outcome: string;
  /** What the caller was shown; null where no answer was meant. */
  readonly shown: string | null;
  /** What was answered while the action ran. */
  readonly answered: readonly Answer[];
}

describe.each(places)('%s', (place, { isRemote, share }) => {
  // As long as an answer takes.
  const delayMsMax = isRemote ? 2_000 : 600;
  let lab: ActingLab;
  beforeAll(async () => {
    if (!isRemote || !isSshdMissing) lab = await ActingLab.open({ isRemote });
  }, 60_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const answersOf = (pid: number | null) =>
    lab
      .received()
      .flatMap(({ pid: by, command, ageMs = 0 }) =>
        by === pid && command !== undefined ? [{ command, ageMs }] : [],
      );

  /** The agent of the pane, at rest with an empty box: the one before, where there is one. */
  async function restingAgent(paneId: string) {
    if ((await lab.pane(paneId))?.presence !== 'managed') return lab.startAgent(paneId);
    await eventually(
      () => {
        const screen = lab.screen(paneId);
        const isBusy = /Do you want|esc to interrupt/.test(screen);
        if (!isBusy && /❯ *\n/.test(screen)) return true;
        lab.tmux.run('send-keys', '-t', paneId, isBusy ? 'Escape' : 'Enter');
        return false;
      },
      'an empty box',
      WAIT_MS,
    );
    return lab.untilState(paneId, ['idle', 'completed']);
  }

  /** What the caller is shown of the dialog that the agent opens. */
  async function shownRequest(paneId: string, ref: string) {
    // Unconfirmed where the screen shows as many of them as before: what counts is the dialog.
    await lab.client.call('send', { ref, text: 'ask' });
    return eventually(
      async () => {
        const { requests } = await lab.client.call('list_requests', { ref });
        const [request] = requests;
        const command = request?.detail?.command;
        return command !== undefined && lab.screen(paneId).includes(command) ? request : null;
      },
      'the request is listed',
      WAIT_MS,
    );
  }

  const kinds = {
    approve: { role: 'approve' },
    deny: { role: 'deny' },
    press: ['a', 'Enter'],
    interrupt: null,
  } as const;

  async function tryOnce(paneId: string, kind: keyof typeof kinds, roll: () => number) {
    const { pane_key: ref, pid } = await restingAgent(paneId);
    const meant = kinds[kind];
    const isAnswer = meant !== null && 'role' in meant;
    const request = isAnswer ? await shownRequest(paneId, ref) : null;
    if (kind === 'interrupt') {
      await lab.client.call('send', { ref, text: 'work' });
      await lab.untilState(paneId, ['running']);
    }
    const before = answersOf(pid).length;
    const timer = setTimeout(() => signal(pid, 'SIGHUP'), roll() * delayMsMax);
    const { client } = lab;
    const acting =
      isAnswer && request
        ? client.call('choose', { ref, choice: meant, request_id: request.request_id })
        : kind === 'press'
          ? client.call('press', { ref, keys: [...kinds.press] })
          : client.call('interrupt', { ref });
    const outcome = await acting.then(
      ({ result }) => `${result}`,
      ({ code }) => String(code),
    );
    clearTimeout(timer);
    const shown = request?.detail?.command ?? null;
    return { kind, outcome, shown, answered: answersOf(pid).slice(before) };
  }

  it.skipIf(isRemote && isSshdMissing)(
    'no other dialog is answered than the one that was shown',
    async () => {
      const roll = dice(20_261_118);
      const tries: Try[] = [];
      const names = Object.keys(kinds) as (keyof typeof kinds)[];
      const count = repeats(ACTIONS * share);
      await inPanes(lab, { name: 'dialogs', count }, async (paneId, at) => {
        tries.push(await tryOnce(paneId, names[at % names.length] ?? 'approve', roll));
      });
      expect(tries).toHaveLength(count);
      const others = tries.filter(({ shown, answered }) =>
        answered.some(({ command }) => command !== shown),
      );
      const isLate = ({ answered }: Try) => answered.every(({ ageMs }) => ageMs < ON_ITS_WAY_MS);
      expect(others.filter((each) => !isLate(each))).toEqual([]);
      expect(others.length).toBeLessThanOrEqual(1 + ON_ITS_WAY_SHARE_MAX * count);
      expect(tries.filter(({ answered }) => answered.length > 1)).toEqual([]);
      const unproved = tries.filter(
        ({ shown, outcome, answered }) =>
          shown !== null && outcome === 'delivered' && answered.length === 0,
      );
      expect(unproved).toEqual([]);
      expect(tries.filter(({ outcome }) => outcome === 'delivered').length).toBeGreaterThan(0);
      const counts = Map.groupBy(tries, ({ kind, outcome }) => `${kind}: ${outcome}`);
      const rows = [...counts].map(([name, { length }]) => `${name} ${length}`).sort();
      const summary = `${place}: ${count} actions, ${others.length} keys on their way`;
      console.info([summary, ...others.map((each) => JSON.stringify(each)), ...rows].join('\n'));
    },
    1_800_000,
  );
});
