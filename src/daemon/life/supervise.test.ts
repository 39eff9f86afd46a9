import { expect, test } from 'vitest';
import { defaultSupervisePolicy, healthyPart, nextAttempt, type PartState } from './supervise.ts';

const T0 = 1_800_000_000_000;
const { failuresMax, windowMs, holdDownMs, backoffMs, backoffMaxMs } = defaultSupervisePolicy;

/** Fails as soon as each attempt is made. */
function failAtOnce(count: number, random = 1) {
  let state: PartState = healthyPart;
  let atMs = T0;
  const waits: number[] = [];
  let isHeldDown = false;
  for (let n = 0; n < count; n += 1) {
    const next = nextAttempt(state, atMs, random);
    waits.push(next.retryAtMs - atMs);
    ({ state, isHeldDown } = next);
    atMs = next.retryAtMs;
  }
  return { state, waits, isHeldDown, atMs };
}

test('the delay doubles with each failure, and the fifth failure holds the part down', () => {
  expect(failAtOnce(4).waits).toEqual([100, 200, 400, 800]);
  expect(failAtOnce(4).isHeldDown).toBe(false);
  const fifth = failAtOnce(5);
  expect(fifth.waits.at(-1)).toBe(holdDownMs);
  expect(fifth.isHeldDown).toBe(true);
});

test('jitter shortens a delay by half at most', () => {
  expect(failAtOnce(3, 0).waits).toEqual([50, 100, 200]);
});

test('a part that was held down starts with a whole budget', () => {
  const { state, atMs } = failAtOnce(5);
  const again = nextAttempt(state, atMs, 1);
  expect(again.isHeldDown).toBe(false);
  expect(again.retryAtMs - atMs).toBe(backoffMs);
});

test('failures that are further apart than the window never use up the budget', () => {
  let state: PartState = healthyPart;
  for (let n = 0; n < 100; n += 1) {
    const atMs = T0 + n * (windowMs / (failuresMax - 1));
    const next = nextAttempt(state, atMs, 1);
    expect(next.isHeldDown).toBe(false);
    // It was healthy in between, so it waits as after the first failure.
    expect(next.retryAtMs - atMs).toBe(backoffMs);
    state = next.state;
  }
  expect(state.failuresAtMs.length).toBeLessThan(failuresMax);
});

test('the delay has an upper bound', () => {
  const state: PartState = { failuresAtMs: [], streak: 60, retryAtMs: T0 };
  expect(nextAttempt(state, T0, 1).retryAtMs - T0).toBe(backoffMaxMs);
});
