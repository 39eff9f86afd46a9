// Sums of times over the steps of history: examples for each rule, and over random histories the
// sum of the states against the observed time, which is counted here millisecond by millisecond.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TimelineStep, TimeSpan } from '../../schema/history.ts';
import { type AgentName, id, type PaneKey, type TargetId } from '../../schema/ids.ts';
import { isWaiting, type TimeSpentOptions, type TimeSums, tallyTimes } from './time-spent.ts';

type StepPart = Partial<Omit<TimelineStep, 'paneKey'>> & Pick<TimelineStep, 'atMs'>;

const stepOf = (order: number, pane: number, part: StepPart): TimelineStep => ({
  id: order + 1,
  previousId: null,
  paneKey: id<PaneKey>(`pane ${pane}`),
  agent: id<AgentName>('claude'),
  targetId: id<TargetId>('local'),
  sessionName: 'work',
  state: 'running',
  reasonCode: null,
  presence: 'managed',
  learnedAtMs: null,
  ...part,
});

const options = (part: Partial<TimeSpentOptions> = {}): TimeSpentOptions => ({
  window: { fromMs: 0, toMs: 1_000 },
  watched: [{ fromMs: 0, toMs: 1_000 }],
  groupOf: ({ agent }) => agent ?? '-',
  longestMax: 3,
  ...part,
});

/** The sums of one pane's steps, which are given in the order of writing. */
function spent(parts: readonly StepPart[], part: Partial<TimeSpentOptions> = {}) {
  const tally = tallyTimes(options(part));
  for (const step of parts.map((each, order) => stepOf(order, 0, each)).toReversed()) {
    tally.add(step);
  }
  return tally.sums();
}

const statesOf = (sums: TimeSums) => Object.fromEntries(sums.states);
const waiting = { state: 'waiting_approval' } as const;
const hidden = { state: 'unknown', reasonCode: 'reconfirming' } as const;

describe('sums of times', () => {
  test('an open state counts until now, and a wait that lasts has no end', () => {
    const { total, longestWaits } = spent([{ atMs: 100 }, { atMs: 700, ...waiting }]);
    expect(statesOf(total)).toEqual({ running: 600, waiting_approval: 300 });
    expect(total).toMatchObject({ observedMs: 900, waitingMs: 300, waitCount: 1 });
    expect(longestWaits).toMatchObject([{ fromMs: 700, toMs: null, waitedMs: 300 }]);
  });

  test('only what lies in the window counts, also of a state that began before it', () => {
    const window = { fromMs: 500, toMs: 1_000 };
    const { total, longestWaits } = spent([{ atMs: 100, ...waiting }, { atMs: 600 }], { window });
    expect(statesOf(total)).toEqual({ waiting_approval: 100, running: 400 });
    expect(longestWaits).toMatchObject([{ fromMs: 500, toMs: 600, waitedMs: 100 }]);
  });

  test('while no daemon ran nothing is observed, and nobody waited', () => {
    const watched = [
      { fromMs: 0, toMs: 300 },
      { fromMs: 800, toMs: 1_000 },
    ];
    const { total, longestWaits } = spent([{ atMs: 100, ...waiting }], { watched });
    expect(total).toMatchObject({ observedMs: 400, waitingMs: 400, waitCount: 1 });
    expect(longestWaits).toMatchObject([{ fromMs: 100, toMs: null, waitedMs: 400 }]);
  });

  test('a state that a restart hid is unknown until it is confirmed, and its wait is one', () => {
    const { total } = spent([
      { atMs: 100, ...waiting },
      { atMs: 400, ...hidden },
      { atMs: 100, ...waiting, learnedAtMs: 600 },
    ]);
    expect(statesOf(total)).toEqual({ waiting_approval: 700, unknown: 200 });
    expect(total).toMatchObject({ observedMs: 900, waitingMs: 700, waitCount: 1 });
  });

  test('a state that was hidden twice in a row is unknown until it was confirmed', () => {
    const { total } = spent([
      { atMs: 100, ...waiting },
      { atMs: 300, state: 'unknown', reasonCode: 'target_unreachable' },
      { atMs: 500, ...hidden },
      { atMs: 100, ...waiting, learnedAtMs: 600 },
    ]);
    expect(statesOf(total)).toEqual({ waiting_approval: 600, unknown: 300 });
  });

  test('a pane without its agent is not observed, and a dialog of the person is no waiting', () => {
    const { total } = spent([
      { atMs: 0, state: 'waiting_input', reasonCode: 'dialog_open' },
      { atMs: 200, state: 'waiting_input' },
      { atMs: 300, presence: 'unmanaged', state: 'unknown', reasonCode: 'no_agent' },
      { atMs: 900 },
    ]);
    expect(total).toMatchObject({ observedMs: 400, waitingMs: 100, waitCount: 1 });
  });

  test('two requests one right after the other are one wait', () => {
    const { total, longestWaits } = spent([
      { atMs: 100, ...waiting },
      { atMs: 300, state: 'waiting_input' },
      { atMs: 450 },
      { atMs: 900, ...waiting },
    ]);
    expect(total).toMatchObject({ waitCount: 2, longestWaitMs: 350, waitingMs: 450 });
    expect(longestWaits.map(({ waitedMs }) => waitedMs)).toEqual([350, 100]);
    expect(longestWaits[0]).toMatchObject({ fromMs: 100, toMs: 450, state: 'waiting_input' });
  });

  test('a wait over midnight is split between the days and counted on the first', () => {
    const days = [
      { name: 'monday', fromMs: 0 },
      { name: 'tuesday', fromMs: 400 },
    ];
    const { groups } = spent([{ atMs: 300, ...waiting }, { atMs: 600 }], { days });
    expect(groups.get('monday')).toMatchObject({ waitingMs: 100, waitCount: 1 });
    expect(groups.get('tuesday')).toMatchObject({ waitingMs: 200, waitCount: 0, observedMs: 600 });
  });
});

const stateArb = fc.constantFrom(
  ...(['running', 'waiting_approval', 'waiting_input', 'completed', 'idle'] as const),
);

/** A history as an engine writes it: a state, or a gap after which it is the same as before. */
const historyArb = fc
  .array(
    fc.record({
      state: stateArb,
      lasts: fc.nat(40),
      hiddenFor: fc.option(fc.integer({ min: 1, max: 20 })),
      isHere: fc.boolean(),
      agent: fc.constantFrom('claude', 'codex'),
    }),
    { maxLength: 12 },
  )
  .map((entries): readonly StepPart[] => {
    const parts: StepPart[] = [];
    let atMs = 0;
    for (const { state, lasts, hiddenFor, isHere, agent } of entries) {
      const presence = isHere ? 'managed' : 'unmanaged';
      const step: StepPart = { atMs, state, presence, agent: id<AgentName>(agent) };
      parts.push(step);
      atMs += lasts;
      if (hiddenFor !== null) {
        parts.push({ ...step, atMs, ...hidden });
        parts.push({ ...step, learnedAtMs: atMs + hiddenFor });
        atMs += hiddenFor;
      }
      atMs += 1;
    }
    return parts;
  });

const spansArb = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })), {
    maxLength: 5,
  })
  .map((pairs): readonly TimeSpan[] => {
    let atMs = 0;
    return pairs.map(([gap, length]) => {
      const fromMs = atMs + gap;
      atMs = fromMs + length;
      return { fromMs, toMs: atMs };
    });
  });

/** What a pane did in one millisecond, found without sums: null where it is not observed. */
function stateAt(parts: readonly StepPart[], watched: readonly TimeSpan[], atMs: number) {
  if (!watched.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)) return null;
  const shown = parts.filter((part) => part.state !== 'unknown' && part.learnedAtMs === undefined);
  const step = shown.findLast((part) => part.atMs <= atMs);
  if (step?.presence !== 'managed') return null;
  const isHidden = parts.some((part, index) => {
    const toMs = parts[index + 1]?.learnedAtMs ?? 0;
    return part.state === 'unknown' && atMs >= part.atMs && atMs < toMs;
  });
  return isHidden ? { state: 'unknown' as const, reasonCode: null } : { reasonCode: null, ...step };
}

function countByMillisecond(
  histories: readonly (readonly StepPart[])[],
  watched: readonly TimeSpan[],
  window: TimeSpan,
) {
  const found = histories.flatMap((parts) => {
    const moments = Array.from({ length: window.toMs - window.fromMs }, (_, ms) => ms);
    return moments.flatMap((ms) => stateAt(parts, watched, window.fromMs + ms) ?? []);
  });
  const waits = found.filter(({ state = 'running', reasonCode = null }) =>
    isWaiting({ state, reasonCode }),
  );
  return { observed: found.length, waiting: waits.length };
}

const totalOf = (sums: TimeSums): number =>
  [...sums.states.values()].reduce((all, each) => all + each, 0);

test('over random histories the states add up to the observed time, in each group too', () => {
  fc.assert(
    fc.property(
      fc.array(historyArb, { maxLength: 4 }),
      spansArb,
      fc.nat(200),
      fc.integer({ min: 1, max: 300 }),
      fc.boolean(),
      (histories, watched, fromMs, length, byDay) => {
        const window = { fromMs, toMs: fromMs + length };
        const days = [0, 70, 90, 240].flatMap((startMs, day) =>
          startMs < window.toMs ? [{ name: `day ${day}`, fromMs: startMs }] : [],
        );
        const tally = tallyTimes(options({ window, watched, ...(byDay && { days }) }));
        const steps = histories.flatMap((parts, pane) =>
          parts.map((part, order) => stepOf(order, pane, part)),
        );
        for (const step of steps.toReversed()) tally.add(step);
        const { total, groups } = tally.sums();
        const expected = countByMillisecond(histories, watched, window);
        expect(total.observedMs).toBe(expected.observed);
        expect(total.waitingMs).toBe(expected.waiting);
        expect(totalOf(total)).toBe(total.observedMs);
        for (const sums of groups.values()) expect(totalOf(sums)).toBe(sums.observedMs);
        const all = [...groups.values()];
        expect(all.reduce((sum, each) => sum + each.observedMs, 0)).toBe(total.observedMs);
        expect(all.reduce((sum, each) => sum + each.waitCount, 0)).toBe(total.waitCount);
      },
    ),
    { numRuns: 400 },
  );
});
