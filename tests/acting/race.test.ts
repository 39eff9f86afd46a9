// Prompts against agents that end, are replaced, stop reading or open a dialog at random moments:
// nothing is ever run by a shell or taken by another runtime, what went astray is unconfirmed, and
// every refusal names its guard.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab } from './acting-lab.ts';
import { dice, endAgents, inPanes, places, signal } from './race-lab.ts';

const ACTIONS = 1_000;
const DELAY_MS_MAX = 500;
/** What happens to the agent, and whether another one follows it in its pane. */
const hazards = [
  { name: 'nothing', order: null, runs: 1 },
  { name: 'exits', order: 'SIGTERM', runs: 1 },
  { name: 'is replaced', order: 'SIGTERM', runs: 2 },
  { name: 'stops reading, then exits', order: 'SIGUSR2', runs: 1 },
  { name: 'stops reading, then is replaced', order: 'SIGUSR2', runs: 2 },
  { name: 'asks', order: 'SIGUSR1', runs: 1 },
] as const;
const guards = [
  ...['E_RUNTIME_STALE', 'E_PRECONDITION_FAILED', 'E_NO_AGENT', 'E_DIALOG_OPEN'],
  ...['E_INPUT_UNSEEN', 'E_DRAFT_PRESENT', 'E_SCREEN_CHANGED', 'E_REF_NOT_FOUND'],
];

interface Try {
  readonly name: string;
  readonly hazard: string;
  readonly text: string;
  readonly pid: number | null;
  readonly outcome: string;
  /** Whether the text was left somewhere: in a box, or in the line of the shell. */
  readonly isStray: boolean;
}

describe.each(places)('%s', (place, { isRemote, share }) => {
  let lab: ActingLab;
  beforeAll(async () => {
    if (!isRemote || !isSshdMissing) lab = await ActingLab.open({ isRemote });
  }, 60_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  async function tryOnce(paneId: string, name: string, roll: () => number): Promise<Try> {
    const hazard = hazards[Math.floor(roll() * hazards.length)] ?? hazards[0];
    const { pane_key: ref, pid } = await lab.startAgent(paneId, { runs: hazard.runs });
    const text = lab.hitText(name);
    const sending = lab.client.call('send', { ref, text }).then(
      ({ result }) => result ?? 'running',
      ({ code }) => String(code),
    );
    const timer = setTimeout(() => {
      if (hazard.order !== null) signal(pid, hazard.order);
    }, roll() * DELAY_MS_MAX);
    const outcome = await sending;
    clearTimeout(timer);
    // A delivered text is on the screen of its own agent.
    const screens = await endAgents(lab, paneId);
    const isStray = outcome !== 'delivered' && screens.includes(text);
    return { name, hazard: hazard.name, text, pid, outcome, isStray };
  }

  it.skipIf(isRemote && isSshdMissing)(
    'no prompt reaches a shell or another runtime, whatever happens to the agent',
    async () => {
      const roll = dice(20_261_116);
      const tries: Try[] = [];
      const count = repeats(ACTIONS * share);
      await inPanes(lab, { name: 'race', count }, async (paneId, at) => {
        tries.push(await tryOnce(paneId, `race-${at}`, roll));
      });
      expect(tries).toHaveLength(count);
      expect(tries.filter(({ name }) => lab.wasRunByShell(name))).toEqual([]);
      const received = lab.received();
      const takersOf = (text: string) => received.filter((each) => each.submitted === text);
      const byOthers = tries.filter(({ text, pid }) =>
        takersOf(text).some((each) => each.pid !== pid),
      );
      expect(byOthers).toEqual([]);
      expect(tries.filter(({ text }) => takersOf(text).length > 1)).toEqual([]);
      const isTaken = ({ text }: Try): boolean => takersOf(text).length === 1;
      const by = (outcome: string) => tries.filter((each) => each.outcome === outcome);
      expect(by('delivered').filter((each) => !isTaken(each))).toEqual([]);
      const refused = tries.filter(({ outcome }) => guards.includes(outcome));
      expect(refused.filter((each) => isTaken(each) || each.isStray)).toEqual([]);
      expect(by('delivered').length).toBeGreaterThan(0);
      expect(by('delivered').length + by('unconfirmed').length + refused.length).toBe(count);
      report(place, tries);
    },
    1_800_000,
  );
});

/** The figures of the run, for the log. */
function report(place: string, tries: readonly Try[]): void {
  const counts = Map.groupBy(tries, ({ hazard, outcome }) => `${hazard}: ${outcome}`);
  const rows = [...counts].map(([name, { length }]) => `${name} ${length}`).sort();
  const strays = tries.filter(({ isStray }) => isStray).length;
  console.info(`${place}: ${tries.length} actions, ${strays} astray\n${rows.join('\n')}`);
}
