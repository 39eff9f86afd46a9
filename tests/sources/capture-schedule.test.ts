// When screens are looked at: a change is never lost, rest is looked at seldom but often enough,
// and the pace follows the load.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CaptureSchedule } from '../../src/sources/watch/capture-schedule.ts';

const T0 = 1_000_000;
const BUSY_MS_MAX = 1_500;

const seen = { costMs: 0, isNew: false, needsSecondCapture: false };

/** A schedule with one pane that was looked at once. */
function rested(): CaptureSchedule {
  const looks = new CaptureSchedule();
  looks.add('%1', T0);
  looks.take(T0, 16);
  looks.done('%1', { nowMs: T0, ...seen });
  return looks;
}

/** Looks at each pane in the last ten of twenty seconds in which all of them repaint. */
function looksEach(count: number): number {
  const paneIds = Array.from({ length: count }, (_, index) => `%${index}`);
  const looks = new CaptureSchedule();
  let lookCount = 0;
  for (const paneId of paneIds) looks.add(paneId, T0);
  for (let nowMs = T0; nowMs < T0 + 20_000; nowMs += 50) {
    for (const paneId of paneIds) looks.repainted(paneId, nowMs);
    const taken = looks.take(nowMs, 16);
    const look = { nowMs, costMs: 1, isNew: true, needsSecondCapture: false };
    for (const paneId of taken) looks.done(paneId, look);
    if (nowMs >= T0 + 10_000) lookCount += taken.length;
  }
  return lookCount / count;
}

describe('the schedule of looks', () => {
  it('looks at a new pane at once', () => {
    const looks = new CaptureSchedule();
    expect(looks.nextMs).toBe(Number.POSITIVE_INFINITY);
    looks.add('%1', T0);
    looks.add('%1', T0 + 500);
    expect(looks.nextMs).toBe(T0);
    expect(looks.take(T0, 16)).toEqual(['%1']);
    expect(looks.take(T0, 16)).toEqual([]);
  });

  it('looks soon after a change at a pane that was at rest, once its writes have settled', () => {
    const looks = rested();
    looks.changed('%1', T0 + 1_000);
    expect(looks.nextMs).toBeGreaterThan(T0 + 1_000);
    expect(looks.nextMs).toBeLessThanOrEqual(T0 + 1_100);
  });

  it('keeps a pace at a pane that changes without end', () => {
    const looks = new CaptureSchedule();
    looks.add('%1', T0);
    let count = 0;
    for (let nowMs = T0; nowMs < T0 + 10_000; nowMs += 10) {
      looks.changed('%1', nowMs);
      for (const paneId of looks.take(nowMs, 16)) {
        count += 1;
        looks.done(paneId, { nowMs, costMs: 0.2, isNew: true, needsSecondCapture: false });
      }
    }
    expect(count).toBeGreaterThanOrEqual(35);
    expect(count).toBeLessThanOrEqual(41);
  });

  it('keeps a slow pace at a pane that only repaints, and looks at once when it does not', () => {
    const schedule = new CaptureSchedule();
    schedule.add('%1', 0);
    schedule.take(0, 16);
    schedule.done('%1', { nowMs: 1, costMs: 0, isNew: true, needsSecondCapture: false });
    schedule.repainted('%1', 100);
    expect(schedule.nextMs).toBeGreaterThan(1_500);
    expect(schedule.nextMs).toBeLessThanOrEqual(2_500);
    schedule.changed('%1', 300);
    expect(schedule.nextMs).toBeLessThanOrEqual(350);
  });

  it('comes back within 300 ms to confirm a rest', () => {
    const looks = new CaptureSchedule();
    looks.add('%1', T0);
    looks.take(T0, 16);
    looks.done('%1', { nowMs: T0 + 5, costMs: 1, isNew: true, needsSecondCapture: true });
    expect(looks.nextMs).toBeLessThanOrEqual(T0 + 5 + 300);
    expect(looks.take(looks.nextMs, 16)).toEqual(['%1']);
  });

  it('looks more and more seldom at rest, and never so seldom that a claim falls unread', () => {
    const looks = rested();
    const waits: number[] = [];
    let nowMs = T0;
    for (let round = 0; round < 12; round += 1) {
      waits.push(looks.nextMs - nowMs);
      nowMs = looks.nextMs;
      looks.take(nowMs, 16);
      looks.done('%1', { nowMs, ...seen });
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBeGreaterThan(waits[0] as number);
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
  });

  it('begins anew with its patience when the screen shows something new', () => {
    const looks = rested();
    for (let round = 0; round < 6; round += 1) {
      const nowMs = looks.nextMs;
      looks.take(nowMs, 16);
      looks.done('%1', { nowMs, ...seen });
    }
    const nowMs = looks.nextMs;
    looks.take(nowMs, 16);
    looks.done('%1', { nowMs, ...seen, isNew: true });
    expect(looks.nextMs - nowMs).toBeLessThanOrEqual(2_000);
  });

  it('answers a question before the pace would', () => {
    const looks = rested();
    looks.changed('%1', T0 + 10);
    expect(looks.nextMs).toBeGreaterThan(T0 + 20);
    looks.ask('%1', T0 + 20);
    expect(looks.take(T0 + 20, 16)).toEqual(['%1']);
  });

  it('keeps the pace at a pane whose events never end', () => {
    const looks = new CaptureSchedule();
    looks.add('%1', T0);
    let count = 0;
    for (let nowMs = T0; nowMs < T0 + 10_000; nowMs += 10) {
      looks.ask('%1', nowMs);
      for (const paneId of looks.take(nowMs, 16)) {
        count += 1;
        looks.done(paneId, { nowMs, costMs: 0.2, isNew: true, needsSecondCapture: false });
      }
    }
    expect(count).toBeGreaterThanOrEqual(35);
    expect(count).toBeLessThanOrEqual(42);
  });

  it('gives the longest due first, and no more than asked for', () => {
    const looks = new CaptureSchedule();
    looks.add('%2', T0 + 5);
    looks.add('%1', T0);
    looks.add('%3', T0 + 7);
    expect(looks.take(T0 + 10, 2)).toEqual(['%1', '%2']);
    expect(looks.take(T0 + 10, 2)).toEqual(['%3']);
  });

  it('forgets a pane, also one whose look is on its way', () => {
    const looks = rested();
    looks.ask('%1', T0);
    looks.take(T0, 16);
    looks.remove('%1');
    looks.done('%1', { nowMs: T0 + 1, ...seen });
    looks.changed('%1', T0 + 2);
    expect(looks.paneIds).toEqual([]);
    expect(looks.nextMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('slows down under load, never beyond its bound, and comes back to its pace', () => {
    const looks = new CaptureSchedule();
    looks.add('%1', T0);
    /** The distance of two looks at a pane that changes all the time. */
    const paceAt = (nowMs: number): number => {
      looks.take(nowMs, 16);
      looks.changed('%1', nowMs);
      return looks.nextMs - nowMs;
    };
    const before = paceAt(T0);
    for (let second = 1; second <= 10; second += 1) {
      looks.done('%1', { ...seen, nowMs: T0 + second * 1_000, costMs: 900 });
    }
    expect(paceAt(T0 + 20_000)).toBe(BUSY_MS_MAX);
    for (let second = 21; second <= 40; second += 1) {
      looks.done('%1', { ...seen, nowMs: T0 + second * 1_000, costMs: 1 });
    }
    expect(paceAt(T0 + 60_000)).toBe(before);
  });

  it('looks more seldom at repaints where very many panes repaint, and not where few do', () => {
    expect(looksEach(10)).toBeGreaterThanOrEqual(4);
    expect(looksEach(200)).toBeLessThanOrEqual(2.5);
  });

  it('looks at news at once, however many panes repaint', () => {
    const looks = rested();
    for (let second = 1; second <= 10; second += 1) {
      looks.done('%1', { ...seen, nowMs: T0 + second * 1_000, costMs: 60 });
    }
    looks.changed('%1', T0 + 20_000);
    expect(looks.nextMs).toBeLessThanOrEqual(T0 + 20_100);
  });
});

type Step =
  | { readonly kind: 'changed' | 'take' | 'looked' | 'ask'; readonly pane: number }
  | { readonly kind: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('changed' as const, 'take' as const, 'looked' as const, 'ask' as const),
    pane: fc.nat({ max: 3 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 2_000 }) }),
);

/** Applies steps as the watch does: only what was taken is reported. Gives the time at the end. */
function play(
  looks: CaptureSchedule,
  steps: readonly Step[],
): { nowMs: number; open: Set<string> } {
  const open = new Set<string>();
  let nowMs = T0;
  for (const each of steps) {
    if (each.kind === 'wait') {
      nowMs += each.ms;
      continue;
    }
    const paneId = `%${each.pane}`;
    if (each.kind === 'changed') looks.changed(paneId, nowMs);
    if (each.kind === 'ask') looks.ask(paneId, nowMs);
    if (each.kind === 'take') for (const taken of looks.take(nowMs, 2)) open.add(taken);
    if (each.kind === 'looked' && open.delete(paneId)) {
      looks.done(paneId, { nowMs, costMs: 40, isNew: each.pane === 0, needsSecondCapture: false });
    }
  }
  return { nowMs, open };
}

const schedule = (): CaptureSchedule => {
  const looks = new CaptureSchedule();
  for (const pane of [0, 1, 2, 3]) looks.add(`%${pane}`, T0);
  return looks;
};

describe('whatever happens', () => {
  it('a change is looked at within the slowest pace, even one during a look', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const looks = schedule();
        const { nowMs, open } = play(looks, steps);
        looks.changed('%0', nowMs);
        if (open.has('%0')) looks.done('%0', { nowMs, ...seen });
        expect(looks.take(nowMs + BUSY_MS_MAX, 16)).toContain('%0');
      }),
    );
  });

  it('a pane is looked at again within the 30 s after which what it says would fall', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const looks = schedule();
        const { nowMs, open } = play(looks, steps);
        for (const paneId of open) looks.done(paneId, { nowMs, ...seen });
        expect([...looks.take(nowMs + 15_000, 16)].sort()).toEqual(['%0', '%1', '%2', '%3']);
      }),
    );
  });
});
