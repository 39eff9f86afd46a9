// Prompts against agents that end, are replaced, stop reading or open a dialog at random moments:
// nothing is ever run by a shell or taken by another runtime, and every refusal names its guard.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

const ACTIONS = repeats(1_000);
const PANES = 10;
const DELAY_MS_MAX = 500;
const hazards = ['none', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const;
const guards = [
  ...['E_RUNTIME_STALE', 'E_PRECONDITION_FAILED', 'E_NO_AGENT', 'E_DIALOG_OPEN'],
  ...['E_INPUT_UNSEEN', 'E_DRAFT_PRESENT', 'E_SCREEN_CHANGED', 'E_REF_NOT_FOUND'],
];

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open();
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

interface Try {
  readonly name: string;
  readonly text: string;
  readonly pid: number | null;
  readonly outcome: string;
}

/** The next number of a sequence that looks random and is the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

async function tryOnce(ref: string, name: string, roll: () => number): Promise<Try> {
  const agent = await lab.startAgent(ref);
  const text = lab.hitText(name);
  const hazard = hazards[Math.floor(roll() * hazards.length)] ?? 'none';
  const sending = lab.client.call('send', { ref, text }).then(
    ({ result }) => result ?? 'running',
    ({ code }) => String(code),
  );
  const timer = setTimeout(() => {
    if (hazard !== 'none' && agent.pid !== null) process.kill(agent.pid, hazard);
  }, roll() * DELAY_MS_MAX);
  const outcome = await sending;
  clearTimeout(timer);
  await endAgent(ref, agent.pid);
  return { name, text, pid: agent.pid, outcome };
}

/** Ends the agent, and clears the line of the shell that it leaves. */
async function endAgent(ref: string, pid: number | null): Promise<void> {
  try {
    if (pid !== null) process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended already.
  }
  await eventually(async () => (await lab.pane(ref))?.presence === 'unmanaged', 'no agent', 20_000);
  // What the agent did not read is in the line of the shell, unsubmitted: it is cleared.
  await eventually(
    () => {
      lab.live.tmux.run('send-keys', '-t', ref, 'C-u');
      return lab.screen(ref).trimEnd().endsWith('$');
    },
    'an empty line',
    20_000,
  );
  lab.live.tmux.run('send-keys', '-t', ref, 'C-l');
}

it('no prompt reaches a shell or another runtime, whatever happens to the agent', async () => {
  const roll = dice(20_261_116);
  const numbers = Array.from({ length: ACTIONS }, (_, at) => at);
  const tries: Try[] = [];
  const worker = async (pane: number): Promise<void> => {
    const ref = lab.openShell(`race-${pane}`);
    for (let at = numbers.shift(); at !== undefined; at = numbers.shift()) {
      tries.push(await tryOnce(ref, `race-${at}`, roll));
    }
  };
  await Promise.all(Array.from({ length: PANES }, (_, pane) => worker(pane)));
  expect(tries.filter(({ name }) => lab.wasRunByShell(name))).toEqual([]);
  const received = lab.received();
  const astray = tries.filter(({ text, pid }) =>
    received.some((each) => each.submitted === text && each.pid !== pid),
  );
  expect(astray).toEqual([]);
  const unproved = tries.filter(
    ({ text, outcome }) =>
      outcome === 'delivered' && !received.some((each) => each.submitted === text),
  );
  expect(unproved).toEqual([]);
  const others = tries.filter(
    ({ outcome }) => !['delivered', 'unconfirmed', ...guards].includes(outcome),
  );
  expect(others).toEqual([]);
  expect(tries.filter(({ outcome }) => outcome === 'delivered').length).toBeGreaterThan(0);
}, 1_800_000);
