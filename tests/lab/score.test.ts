import { describe, expect, it } from 'vitest';
import { type Sample, scoreOf, type Timeline, type TruthChange } from '../../lab/score.ts';

/** Samples each 50 ms of the answer from each time on. */
function sampled(endMs: number, changes: readonly Sample[]): readonly Sample[] {
  const samples: Sample[] = [];
  for (let atMs = 0; atMs < endMs; atMs += 50) {
    const answer = changes.findLast((change) => change.atMs <= atMs)?.answer ?? 'unknown';
    samples.push({ atMs, answer });
  }
  return samples;
}

function timeline(
  endMs: number,
  truths: readonly TruthChange[],
  changes: readonly Sample[],
): Timeline {
  return { scenario: 'test', truths, endMs, samples: sampled(endMs, changes), changes };
}

const truths: readonly TruthChange[] = [
  { step: 'start', truth: 'idle', atMs: 0 },
  { step: 'prompt', truth: 'running', atMs: 5_000 },
  { step: 'ask', truth: 'waiting_approval', atMs: 10_000 },
  { step: 'approve', truth: 'running', atMs: 15_000 },
];

describe('the score of a run', () => {
  it('takes unknown and no agent as right after an agent left a pane without a view inside', () => {
    const left = [{ step: 'killed by -9', truth: 'left', atMs: 0 }] as const;
    const scoreWith = (answer: string): number =>
      scoreOf([timeline(5_000, left, [{ atMs: 0, answer }])]).score;
    expect(scoreWith('no_agent')).toBe(1);
    expect(scoreWith('unknown/stale_signal')).toBe(1);
    expect(scoreWith('waiting_approval')).toBe(0);
  });

  it('is 100 % when each state is reported within its first second', () => {
    const changes = [
      { atMs: 300, answer: 'idle' },
      { atMs: 5_200, answer: 'running' },
      { atMs: 10_900, answer: 'waiting_approval' },
      { atMs: 15_100, answer: 'running' },
    ];
    const { score, wrong, waits, latencies } = scoreOf([timeline(20_000, truths, changes)]);
    expect(score).toBe(1);
    expect(wrong).toEqual([]);
    expect(waits).toEqual([]);
    expect(latencies.map(({ transition, ms }) => [transition, ms])).toEqual([
      ['start → idle', 300],
      ['idle → running', 200],
      ['running → waiting_approval', 900],
      ['waiting_approval → running', 100],
    ]);
  });

  it('is the mean over states, so that a rare state counts as much as a common one', () => {
    const changes = [
      { atMs: 0, answer: 'idle' },
      { atMs: 5_000, answer: 'running' },
    ];
    const { score, states } = scoreOf([timeline(20_000, truths, changes)]);
    expect(states.map(({ state, right, total }) => [state, right / total])).toEqual([
      ['idle', 1],
      ['running', 1],
      ['waiting_approval', 0],
    ]);
    expect(score).toBeCloseTo(2 / 3);
  });

  it('lists wrong seconds by step, and a wait that was never reported as missed', () => {
    const changes = [
      { atMs: 0, answer: 'idle' },
      { atMs: 5_000, answer: 'running' },
    ];
    const { wrong, waits } = scoreOf([timeline(20_000, truths, changes)]);
    expect(wrong).toEqual([
      expect.objectContaining({ step: 'ask', answer: 'running', seconds: 4, fromMs: 11_000 }),
    ]);
    expect(waits).toEqual([{ kind: 'missed', scenario: 'test', step: 'ask', seconds: 5 }]);
  });

  it('sees a wait that stays after its answer', () => {
    const changes = [
      { atMs: 0, answer: 'idle' },
      { atMs: 5_000, answer: 'running' },
      { atMs: 10_000, answer: 'waiting_approval' },
      { atMs: 18_000, answer: 'running' },
    ];
    const { waits } = scoreOf([timeline(20_000, truths, changes)]);
    expect(waits).toEqual([{ kind: 'overstayed', scenario: 'test', step: 'approve', seconds: 3 }]);
  });

  it('takes different wrong answers in a wait as one time without it', () => {
    const changes = [
      { atMs: 0, answer: 'idle' },
      { atMs: 5_000, answer: 'running' },
      { atMs: 11_500, answer: 'unknown/no_evidence' },
      { atMs: 13_000, answer: 'waiting_approval' },
      { atMs: 15_000, answer: 'running' },
    ];
    const { waits } = scoreOf([timeline(20_000, truths, changes)]);
    expect(waits.map(({ seconds }) => seconds)).toEqual([3]);
  });

  it('judges a reason only where the truth names one', () => {
    const steps: readonly TruthChange[] = [
      { step: 'escape', truth: 'idle/interrupted', atMs: 0 },
      { step: 'clear', truth: 'idle', atMs: 5_000 },
    ];
    const right = [{ atMs: 0, answer: 'idle/interrupted' }];
    expect(scoreOf([timeline(10_000, steps, right)]).score).toBe(1);
    const wrong = [{ atMs: 0, answer: 'idle' }];
    expect(scoreOf([timeline(10_000, steps, wrong)]).score).toBe(0.5);
  });

  it('judges neither steps under 1.5 s nor times whose truth nobody knows', () => {
    const steps: readonly TruthChange[] = [
      { step: 'blink', truth: 'running', atMs: 0 },
      { step: 'between', truth: null, atMs: 1_400 },
      { step: 'rest', truth: 'idle', atMs: 6_000 },
    ];
    const { states, latencies } = scoreOf([timeline(9_000, steps, [{ atMs: 0, answer: 'idle' }])]);
    expect(states.map(({ state }) => state)).toEqual(['idle']);
    expect(latencies.map(({ ms }) => ms)).toEqual([null, 0]);
  });

  it('gives no new second of grace to a step whose truth is as before', () => {
    const steps: readonly TruthChange[] = [
      { step: 'stream', truth: 'running', atMs: 0 },
      { step: 'tool', truth: 'running', atMs: 5_000 },
    ];
    const changes = [
      { atMs: 0, answer: 'running' },
      { atMs: 5_000, answer: 'completed' },
      { atMs: 5_900, answer: 'running' },
    ];
    const { wrong, latencies } = scoreOf([timeline(10_000, steps, changes)]);
    expect(wrong.map(({ seconds }) => seconds)).toEqual([0.9]);
    expect(latencies).toHaveLength(1);
  });
});
