// Ids of events: unique and sorted, whatever the clock does.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIds } from './event-ids.ts';

const T0 = 1_800_000_000_000;

describe('ids of events', () => {
  it('are unique and sorted while the clock stops, runs, jumps or goes back', () => {
    const step = fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 86_400_000 }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
        let nowMs = T0;
        const next = eventIds(() => nowMs);
        const ids = steps.map((ms) => {
          nowMs += ms;
          return next();
        });
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual([...ids].sort());
      }),
    );
  });

  it('take fractions of a millisecond', () => {
    let nowMs = T0 + 0.25;
    const next = eventIds(() => nowMs);
    const first = next();
    nowMs += 0.5;
    const second = next();
    expect(first < second).toBe(true);
    expect(first).toMatch(/^[0-9a-z]+$/);
    expect(second).toHaveLength(first.length);
  });

  it('stay unique and sorted when a millisecond is full', () => {
    const next = eventIds(() => T0);
    let last = '';
    let wrong = 0;
    for (let count = 0; count < 36 ** 4 + 10; count += 1) {
      const id = next();
      if (id <= last) wrong += 1;
      last = id;
    }
    expect(wrong).toBe(0);
  });

  it('of two runs of the daemon differ at the same moment', () => {
    expect(eventIds(() => T0)()).not.toBe(eventIds(() => T0)());
  });
});
