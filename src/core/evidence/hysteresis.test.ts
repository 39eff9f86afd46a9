// When a claim is believed: at once, after a second look, or after it held for seconds.

import { describe, expect, test } from 'vitest';
import { claim, config, evidence, Run, T0 } from '../../../tests/scenario.ts';
import type { Claim } from '../../schema/evidence.ts';
import { type Says, says } from '../../schema/state.ts';
import { mayConfirm, takesEffectAtOnce } from './hysteresis.ts';

const rests: readonly Says[] = ['completed', 'interrupted', 'at_rest', 'began'];

describe('at first sight', () => {
  test.each(says)('a signal that says %s is believed', (word) => {
    expect(takesEffectAtOnce(claim(word), T0, config)).toBe(true);
  });

  test.each(says)('an anchored rule that says %s is believed unless it is rest', (word) => {
    const seen = claim(word, { basis: 'anchored' });
    expect(takesEffectAtOnce(seen, T0, config)).toBe(!rests.includes(word));
  });

  test.each(says)('a guess that says %s needs work in the pane just now', (word) => {
    const guess = (agoMs: number) =>
      claim(word, { basis: 'unanchored', lastInteractionAtMs: T0 - agoMs });
    expect(takesEffectAtOnce(guess(8_000), T0, config)).toBe(word === 'running');
    expect(takesEffectAtOnce(guess(8_001), T0, config)).toBe(false);
  });

  test('a guess that nobody saw any work with is not believed', () => {
    const guess = claim('running', { basis: 'unanchored' });
    expect(takesEffectAtOnce(guess, T0, config)).toBe(false);
  });
});

describe('a second look', () => {
  const look = (word: Says, heldMs: number, idleMs: number, current: Says | null = null) => ({
    pending: { ...claim(word, { basis: 'unanchored' }), atMs: T0 - heldMs },
    again: claim(word, { basis: 'unanchored', lastInteractionAtMs: T0 - idleMs }),
    current: current && claim(current),
    nowMs: T0,
  });

  test('confirms an anchored rule', () => {
    const pending = { ...claim('at_rest', { basis: 'anchored' as const }), atMs: T0 };
    const again: Claim = claim('at_rest', { basis: 'anchored' });
    expect(mayConfirm({ pending, again, current: null, nowMs: T0 + 250 }, config)).toBe(true);
  });

  const cases: [string, Parameters<typeof look>, boolean][] = [
    ['a guess of rest that held for four seconds', ['at_rest', 4_000, 60_000], true],
    ['no guess of rest that held a millisecond less', ['at_rest', 3_999, 60_000], false],
    ['no end of work while the pane is used', ['at_rest', 9_000, 45_000, 'running'], false],
    ['the end of work 45 s after the last use', ['at_rest', 9_000, 45_001, 'running'], true],
    ['rest after rest whatever the use', ['at_rest', 9_000, 10, 'at_rest'], true],
    ['work that is seen within eight seconds', ['running', 0, 8_000], true],
    ['no work that was last seen before that', ['running', 60_000, 8_001], false],
    ['never a question', ['waiting_input', 60_000, 0], false],
    ['never an approval', ['waiting_approval', 60_000, 0], false],
    ['never a failure', ['error', 60_000, 0], false],
  ];
  test.each(cases)('confirms %s', (_name, given, expected) => {
    expect(mayConfirm(look(...given), config)).toBe(expected);
  });

  test('waits for two polls where polls are slow', () => {
    const slow = { ...config, pollIntervalMs: 5_000 };
    expect(mayConfirm(look('at_rest', 9_999, 60_000), slow)).toBe(false);
    expect(mayConfirm(look('at_rest', 10_000, 60_000), slow)).toBe(true);
  });
});

describe('on a screen', () => {
  const screen = (word: Says, atMs: number, sinceMs = atMs) =>
    evidence('screen', atMs, [claim(word, { basis: 'anchored' })], {
      kind: 'level',
      tier: 'heuristic',
      eventTimeMs: sinceMs,
    });

  test('rest in one reading that the next reading does not confirm is dropped', () => {
    const run = new Run().see(screen('running', T0), screen('at_rest', T0 + 100));
    run.see(screen('running', T0 + 350)).tick(T0 + 5_000);
    expect(run.row().state).toBe('running');
    expect(run.eventTypes()).not.toContain('claim.confirmed');
  });

  test('a second reading of rest with another claim counts as a first reading', () => {
    const run = new Run().see(screen('running', T0), screen('at_rest', T0 + 100));
    run.see(screen('interrupted', T0 + 350));
    expect(run.row().state).toBe('running');
    run.see(screen('interrupted', T0 + 600, T0 + 350));
    expect(run.row()).toMatchObject({ state: 'idle', reasonCode: 'interrupted' });
  });
});
