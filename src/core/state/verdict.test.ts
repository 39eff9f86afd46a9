// From standing claims to one answer: who wins, with which reason and how surely.

import { describe, expect, test } from 'vitest';
import { about, agents, claim, evidence, Run, runtimeId, T0 } from '../../../tests/scenario.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';
import type { Says, State } from '../../schema/state.ts';
import { liveClaims } from './verdict.ts';

/** Sources that see no ends, so that all their claims stand together. */
const blind = (
  name: string,
  says: Says,
  changes: Partial<Claim> = {},
  more: Partial<Evidence> = {},
) => evidence(name, T0, [claim(says, { covers: [], ...changes })], more);

const winnerOf = (...pieces: readonly Evidence[]) => {
  const results = [pieces, pieces.toReversed()].map((order) => new Run().see(...order).row());
  expect(results[0]?.evidence).toEqual(results[1]?.evidence);
  return results[0]?.evidence.source;
};

describe('among claims that stand together the winner is', () => {
  const order: Says[] = ['error', 'waiting_approval', 'waiting_input', 'running'];
  const pairs = order.flatMap((high, index) => order.slice(index + 1).map((low) => [high, low]));

  test.each(pairs as [Says, Says][])('%s before %s, whatever rank and tier', (high, low) => {
    const weak = blind('weak', high, { rank: 9 }, { tier: 'heuristic' });
    expect(winnerOf(weak, blind('strong', low, { rank: 0 }))).toBe('weak');
  });

  test('then the deterministic one before the heuristic, whatever rank', () => {
    const guess = blind('screen', 'running', { rank: 0 }, { tier: 'heuristic' });
    expect(winnerOf(guess, blind('hooks', 'running', { rank: 9 }))).toBe('hooks');
  });

  test('then the better rank, whatever time', () => {
    const later = { ...blind('later', 'running', { rank: 2 }), eventTimeMs: T0 + 50 };
    expect(winnerOf(later, blind('better', 'running', { rank: 1 }))).toBe('better');
  });

  test('then the later one', () => {
    const later = { ...blind('a-later', 'running'), eventTimeMs: T0 + 50, ingestedAtMs: T0 + 50 };
    expect(winnerOf(blind('z-early', 'running'), later)).toBe('a-later');
    expect(winnerOf(blind('a-early', 'running'), { ...later, source: 'z-later' as never })).toBe(
      'z-later',
    );
  });

  test('and a name at last, so that it is always the same one', () => {
    expect(winnerOf(blind('b', 'running'), blind('a', 'running'))).toBe('a');
  });
});

test('a reason comes from the best source that agrees and has one', () => {
  const file = blind('file', 'running', { rank: 0 });
  const screen = blind('screen', 'running', { rank: 8, reason: 'retrying' });
  const row = new Run().see(file, screen).row();
  expect(row).toMatchObject({ state: 'running', reasonCode: 'retrying' });
  expect(row?.evidence.source).toBe('file');
  const dialog = blind('dialog', 'waiting_input', { reason: 'dialog_open' });
  const approval = blind('approval', 'waiting_approval');
  expect(new Run().see(dialog, approval).row()).toMatchObject({ reasonCode: null });
});

test('the losers that still stand are listed behind the winner', () => {
  const run = new Run().see(
    blind('a', 'running'),
    blind('b', 'error'),
    blind('c', 'waiting_input'),
  );
  const runtime = run.world.runtimes.get(runtimeId(0));
  expect(runtime && liveClaims(runtime).map(({ source }) => source)).toEqual(['b', 'c', 'a']);
});

describe('the answer carries', () => {
  const reasons: [Says, Claim['reason'], State][] = [
    ['running', 'background_work', 'running'],
    ['running', 'retrying', 'running'],
    ['error', 'auth_required', 'error'],
    ['waiting_input', 'dialog_open', 'waiting_input'],
    ['waiting_approval', 'startup_dialog', 'waiting_approval'],
    ['running', 'blocked_on_stdin', 'running'],
  ];
  test.each(reasons)('%s with the reason %s', (says, reason, state) => {
    const run = new Run().see(evidence('hooks', T0, [claim(says, { reason })]));
    expect(run.row()).toMatchObject({ state, reasonCode: reason });
  });

  test('until when a limit holds', () => {
    const limit = claim('error', { reason: 'usage_limit', untilMs: T0 + 3_600_000 });
    const run = new Run().see(evidence('hooks', T0, [limit]));
    expect(run.row()).toMatchObject({ reasonCode: 'usage_limit', untilMs: T0 + 3_600_000 });
    run.see(evidence('hooks', T0 + 1, [claim('running')]));
    expect(run.row()).toMatchObject({ reasonCode: null, untilMs: null });
  });

  test('source, rule, tier and stamp of the winner', () => {
    const run = new Run().see(
      evidence('screen', T0 + 7, [claim('running', { rule: 'spinner', basis: 'anchored' })], {
        kind: 'level',
        tier: 'heuristic',
      }),
    );
    expect(run.row().evidence).toEqual({
      mode: 'heuristic',
      source: 'screen',
      rule: 'spinner',
      confidence: 'medium',
      atMs: T0 + 7,
    });
  });
});

describe('confidence is', () => {
  const confidenceOf = (changes: Partial<Claim>, more: Partial<Evidence>) =>
    new Run().see(evidence('x', T0, [claim('running', changes)], more)).row().evidence.confidence;

  test('high for a signal of the agent, medium for a screen rule, low for a guess', () => {
    expect(confidenceOf({}, {})).toBe('high');
    expect(confidenceOf({ basis: 'anchored' }, { tier: 'heuristic', kind: 'level' })).toBe(
      'medium',
    );
    const guess = { basis: 'unanchored', lastInteractionAtMs: T0 } as const;
    expect(confidenceOf(guess, { tier: 'heuristic', kind: 'level' })).toBe('low');
  });
});

describe('unknown', () => {
  test('is no_evidence when there never was any', () => {
    expect(new Run().row()).toMatchObject({
      state: 'unknown',
      reasonCode: 'no_evidence',
      presence: 'managed',
      evidence: { mode: 'none', confidence: 'low', source: null },
    });
  });

  test('says that there is no agent', () => {
    expect(new Run(agents().slice(0, -1)).row()).toMatchObject({
      state: 'unknown',
      reasonCode: 'no_agent',
      presence: 'unmanaged',
    });
  });

  test('is no_evidence when its source took the claim back', () => {
    const level = { kind: 'level' } as const;
    const run = new Run().see(evidence('pane-option', T0, [claim('running')], level));
    run.see(evidence('pane-option', T0 + 5_000, [], level));
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'no_evidence' });
  });

  test('is stale_signal when its claims have expired', () => {
    const run = new Run().see(evidence('file', T0, [claim('running')], { kind: 'level' }));
    expect(run.tick(T0 + 30_000).row()).toMatchObject({ reasonCode: 'stale_signal' });
  });

  test('says that the process is stopped, and the answer is back when it goes on', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('running')]));
    const suspended = { type: 'runtime.suspended', atMs: T0 + 1, runtimeId: runtimeId(0) } as const;
    run.apply({ ...suspended, suspended: true });
    expect(run.row()).toMatchObject({ state: 'unknown', reasonCode: 'suspended' });
    run.apply({ ...suspended, suspended: false });
    expect(run.row()).toMatchObject({ state: 'running', reasonCode: null });
  });

  test('says that the pane is gone, before anything else', () => {
    const run = new Run().see(evidence('hooks', T0, [claim('running', { about: about('a') })]));
    const paneKey = run.world.runtimes.get(runtimeId(0))?.paneKey;
    if (!paneKey) throw new Error('no pane');
    run.apply({ type: 'pane.gone', atMs: T0 + 1, paneKey, reason: 'closed' });
    expect(run.row()).toMatchObject({
      state: 'unknown',
      reasonCode: 'pane_gone',
      presence: 'missing',
      runtimeId: null,
    });
  });
});
