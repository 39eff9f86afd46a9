import { describe, expect, it } from 'vitest';
import {
  nextRestart,
  noRestarts,
  restartDelayMs,
  restarted,
  settledEnd,
} from './member-restarts.ts';

const rule = { when: 'on-failure', attempts: 3, backoffMs: 1_000 } as const;

describe('a member whose program has ended', () => {
  it('is started again after a wait that doubles with each start in a row', () => {
    const starts: number[] = [];
    let restarts = noRestarts;
    let pid = 100;
    let nowMs = 0;
    for (; nowMs < 60_000; nowMs += 500) {
      const { step, restarts: next } = nextRestart(rule, restarts, pid, nowMs);
      restarts = next;
      if (step === 'give_up') break;
      if (step !== 'start') continue;
      starts.push(nowMs);
      restarts = restarted(restarts, nowMs);
      pid += 1;
    }
    // Each is seen to have ended half a second after its start.
    expect(starts).toEqual([1_000, 3_500, 8_000]);
    expect([nowMs, restarts.count]).toEqual([8_500, 3]);
  });

  it('begins anew after it has stayed up for ten minutes', () => {
    const once = restarted({ ...noRestarts, count: 2 }, 0);
    expect(nextRestart(rule, once, 7, 599_999)).toMatchObject({ step: 'give_up' });
    expect(nextRestart(rule, once, 7, 600_000).restarts.count).toBe(0);
  });

  it('is left alone when the rule says never, or its end is settled', () => {
    const never = { ...rule, when: 'never' } as const;
    expect(nextRestart(never, noRestarts, 7, 99_999).step).toBe('nothing');
    const { restarts } = nextRestart(rule, noRestarts, 7, 0);
    expect(nextRestart(rule, settledEnd(restarts), 7, 99_999).step).toBe('nothing');
    expect(nextRestart(rule, settledEnd(restarts), 8, 99_999).step).toBe('wait');
  });

  it('waits ten minutes at most', () => {
    expect(restartDelayMs(rule, 99)).toBe(600_000);
  });
});
