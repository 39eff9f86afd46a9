// When the next listing is due: at once when something may be new, else at a pace that follows what
// a listing costs, and never so seldom that a living server looks dead.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListingMode, ListingPace } from '../../src/sources/watch/listing-pace.ts';

const T0 = 1_000_000;
/** A channel is fresh for three seconds after a beat, and each listing is one. */
const FRESH_MS = 3_000;

function swept(costMs: number, mode: ListingMode): ListingPace {
  const pace = new ListingPace();
  pace.begin();
  pace.end(T0, costMs, mode);
  return pace;
}

describe('the pace of listings', () => {
  it('begins at once', () => {
    expect(new ListingPace().dueMs).toBeLessThanOrEqual(T0);
  });

  it.each([
    ['untapped', 200],
    ['quiet', 600],
    ['tapped', 900],
    ['degraded', 2_000],
  ] as const)('comes back in %s mode after %d ms', (mode, waitMs) => {
    expect(swept(1, mode).dueMs).toBe(T0 + waitMs);
  });

  it('answers a question soon, and many questions not more often than a listing is worth', () => {
    const pace = swept(1, 'tapped');
    pace.ask(T0 + 1);
    expect(pace.dueMs).toBeGreaterThanOrEqual(T0 + 10);
    expect(pace.dueMs).toBeLessThanOrEqual(T0 + 50);
    const idle = swept(1, 'tapped');
    idle.ask(T0 + 500);
    expect(idle.dueMs).toBe(T0 + 500);
  });

  it('does not lose what is asked while it lists', () => {
    const pace = swept(1, 'tapped');
    pace.begin();
    expect(pace.dueMs).toBe(Number.POSITIVE_INFINITY);
    pace.ask(T0 + 1_001);
    pace.end(T0 + 1_002, 2, 'tapped');
    expect(pace.dueMs).toBeLessThanOrEqual(T0 + 1_050);
  });

  it('lists less often where a listing is dear', () => {
    expect(swept(40, 'untapped').dueMs).toBeGreaterThan(swept(1, 'untapped').dueMs);
  });

  it('takes the shortest of the last listings for the cost: a busy machine delays some', () => {
    const pace = swept(2, 'untapped');
    const list = (): void => {
      pace.begin();
      pace.end(T0, 30, 'untapped');
    };
    list();
    expect(pace.dueMs).toBe(T0 + 200);
    for (let round = 0; round < 6; round += 1) list();
    expect(pace.dueMs).toBe(T0 + 1_200);
  });

  it('comes back before a living server looks dead, whatever one listing took', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 3_600_000, noNaN: true }),
        fc.constantFrom<ListingMode>('tapped', 'untapped', 'degraded'),
        (costMs, mode) => {
          const pace = swept(costMs, mode);
          expect(pace.dueMs - T0).toBeLessThan(FRESH_MS);
          expect(pace.dueMs).toBeGreaterThan(T0);
        },
      ),
    );
  });

  it('answers a question within a second, even after a listing that ran into its deadline', () => {
    const pace = swept(5_000, 'tapped');
    pace.ask(T0 + 10);
    expect(pace.dueMs - T0).toBeLessThanOrEqual(1_000);
  });
});
