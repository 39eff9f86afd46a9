// The figures of actions beside bare keys: medians, and a problem only where both were measured.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ABOVE_MS_MAX, type Effect, type EffectCause, EffectTimes } from '../../lab/effect.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function timesOf(...measured: readonly (readonly [Effect, EffectCause, number])[]): EffectTimes {
  const times = new EffectTimes();
  for (const [effect, cause, ms] of measured) {
    times.begin();
    times.end(effect, cause, Date.now() + ms);
  }
  return times;
}

describe('the effect of an action', () => {
  it('is compared with the bare key by its median', () => {
    const actions = [900, 300, 400].map((ms) => ['prompt', 'action', ms] as const);
    const times = timesOf(...actions, ['prompt', 'key', 100]);
    expect(times.lines()).toEqual([
      'effect of prompts: 300 ms above the bare key; ' +
        '400 ms by agtmux (p95 900, at most 900), 100 ms by the bare key',
    ]);
    expect(times.problems(ABOVE_MS_MAX)).toEqual([]);
  });

  it('is a problem from a second above the bare key on, and nothing without one', () => {
    const slow = timesOf(['denial', 'action', 1_100], ['denial', 'key', 100]);
    expect(slow.problems(ABOVE_MS_MAX)).toEqual(['denials take effect 1000 ms above the bare key']);
    expect(timesOf(['denial', 'action', 5_000]).problems(ABOVE_MS_MAX)).toEqual([]);
  });
});
