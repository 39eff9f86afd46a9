import { expect, it } from 'vitest';
import { type OutputBudget, outputBudget } from './output-budget.ts';

const TURN_MS = 100;
const KILOBYTE = 1_000;

/** Lets each pane print so much in a second, in steps of a tenth, and returns all that is asked. */
function play(
  budget: OutputBudget,
  { fromMs, forMs, rates }: { fromMs: number; forMs: number; rates: Record<string, number> },
  isSign: (paneId: string) => boolean = () => false,
) {
  const actions = { pause: [] as string[], resume: [] as string[], capture: [] as string[] };
  for (let atMs = fromMs; atMs < fromMs + forMs; atMs += TURN_MS) {
    for (const [paneId, rate] of Object.entries(rates)) {
      if (budget.isPaused(paneId)) continue;
      budget.spend(paneId, (rate * TURN_MS) / 1_000, isSign(paneId), atMs);
    }
    const turn = budget.turn(atMs);
    for (const how of ['pause', 'resume', 'capture'] as const) actions[how].push(...turn[how]);
  }
  return actions;
}

const manyPanes = (count: number, rate: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`%${index}`, rate]));

it('no pane is paused while all print less than the budget', () => {
  const budget = outputBudget();
  const actions = play(budget, { fromMs: 0, forMs: 60_000, rates: manyPanes(20, 3 * KILOBYTE) });
  expect(actions).toEqual({ pause: [], resume: [], capture: [] });
  expect(budget.isUnused()).toBe(true);
});

it('the panes that print most are paused, as many as exceed the budget', () => {
  const budget = outputBudget();
  const rates = { ...manyPanes(20, 3 * KILOBYTE), '%90': 80 * KILOBYTE, '%91': 70 * KILOBYTE };
  const actions = play(budget, { fromMs: 0, forMs: 5_000, rates });
  expect(actions.pause).toEqual(['%90', '%91']);
  expect(budget.isPaused('%90')).toBe(true);
  expect(budget.isPaused('%0')).toBe(false);
});

it('a pane that printed news lately, or that sends OSC, is not paused', () => {
  const budget = outputBudget();
  const rates = { '%1': 150 * KILOBYTE, '%2': 150 * KILOBYTE, '%3': 10 * KILOBYTE };
  budget.exempt('%2');
  const actions = play(budget, { fromMs: 0, forMs: 10_000, rates }, (paneId) => paneId === '%1');
  expect(actions.pause).toEqual(['%3']);
});

it('paused panes are captured all the time, and each is resumed within 15 s', () => {
  const budget = outputBudget();
  const rates = manyPanes(100, 3 * KILOBYTE);
  const first = play(budget, { fromMs: 0, forMs: 5_000, rates });
  expect(first.pause.length).toBeGreaterThan(50);
  const actions = play(budget, { fromMs: 5_000, forMs: 15_000, rates });
  for (const paneId of first.pause) expect(actions.resume).toContain(paneId);
  const captureCount = (paneId: string) => actions.capture.filter((each) => each === paneId).length;
  // In 15 s a pane that is paused nearly always is captured ten times.
  for (const paneId of first.pause) expect(captureCount(paneId)).toBeGreaterThanOrEqual(4);
});

it('all panes are resumed when the others have ended', () => {
  const budget = outputBudget();
  play(budget, { fromMs: 0, forMs: 5_000, rates: manyPanes(100, 3 * KILOBYTE) });
  expect(budget.isUnused()).toBe(false);
  const actions = play(budget, { fromMs: 5_000, forMs: 15_000, rates: manyPanes(5, 3 * KILOBYTE) });
  expect(actions.pause).toEqual([]);
  expect(budget.isUnused()).toBe(true);
});

it('a pane whose tap has ended is no longer paused', () => {
  const budget = outputBudget();
  play(budget, { fromMs: 0, forMs: 5_000, rates: { '%1': 200 * KILOBYTE } });
  expect(budget.isPaused('%1')).toBe(true);
  budget.forget('%1');
  expect(budget.isPaused('%1')).toBe(false);
});

it('a pane that floods is paused at once, also one that prints news and sends OSC', () => {
  const budget = outputBudget();
  budget.exempt('%1');
  expect(budget.spend('%1', 200 * KILOBYTE, true, 0)).toBe(false);
  expect(budget.spend('%1', 60 * KILOBYTE, true, 10)).toBe(true);
  expect(budget.isPaused('%1')).toBe(true);
});

it('a flood that goes on is read less and less often, and captured meanwhile', () => {
  const budget = outputBudget();
  const flood = { rates: { '%1': 30_000 * KILOBYTE } };
  const actions = play(budget, { fromMs: 0, forMs: 60_000, ...flood }, () => true);
  expect(actions.resume.length).toBeGreaterThanOrEqual(4);
  expect(actions.resume.length).toBeLessThanOrEqual(8);
  expect(actions.capture.length).toBeGreaterThan(30);
});

it('a flood that is over is forgotten, and the next pause is short again', () => {
  const budget = outputBudget();
  const flood = { rates: { '%1': 30_000 * KILOBYTE } };
  play(budget, { fromMs: 0, forMs: 20_000, ...flood }, () => true);
  play(budget, { fromMs: 20_000, forMs: 30_000, rates: { '%1': KILOBYTE } }, () => true);
  expect(budget.isUnused()).toBe(true);
  const actions = play(budget, { fromMs: 50_000, forMs: 1_300, ...flood }, () => true);
  expect(actions.resume).toEqual(['%1']);
});

it('panes that print far too much together are paused, also where each prints news', () => {
  const budget = outputBudget();
  const rates = manyPanes(20, 200 * KILOBYTE);
  const actions = play(budget, { fromMs: 0, forMs: 3_000, rates }, () => true);
  expect(actions.pause.length).toBeGreaterThanOrEqual(15);
  expect(actions.pause.length).toBeLessThan(20);
});
