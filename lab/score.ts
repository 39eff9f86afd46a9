// How right a daemon was, from what truly happened and what its client received. Pure: times are
// epoch milliseconds that the driver wrote down. Samples come from sample.ts.

import type { Truth } from './agent.ts';

/** Answers are judged from this long after a change; the latency table covers the time before. */
export const GRACE_MS = 1_000;
/** Shorter steps are for the latency only. */
export const JUDGED_MIN_MS = 1_500;
/** A wait that is not reported for longer is missed; one still reported for longer overstays. */
export const WAITING_MAX_MS = 2_000;

/** From `atMs` on this was the truth. Null: nobody can tell, so nothing is judged. */
export interface TruthChange {
  readonly step: string;
  readonly truth: Truth | null;
  readonly atMs: number;
}

/** What the client believed: a state with its reason, or `no_agent`. */
export interface Sample {
  readonly atMs: number;
  readonly answer: string;
}

/** One pane in one scenario. */
export interface Timeline {
  readonly scenario: string;
  readonly truths: readonly TruthChange[];
  readonly endMs: number;
  /** Every 50 ms. */
  readonly samples: readonly Sample[];
  /** Each change that the client received, with its time. */
  readonly changes: readonly Sample[];
}

interface Step {
  readonly scenario: string;
  readonly step: string;
  readonly truth: Truth;
  readonly before: Truth | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** When the truth became this, which may be some steps ago. */
  readonly changedMs: number;
}

export interface WrongTime {
  readonly scenario: string;
  readonly step: string;
  readonly truth: Truth;
  readonly before: Truth | null;
  readonly answer: string;
  readonly fromMs: number;
  readonly seconds: number;
}

export interface WaitFault {
  readonly kind: 'missed' | 'overstayed';
  readonly scenario: string;
  readonly step: string;
  readonly seconds: number;
}

export interface Latency {
  readonly transition: string;
  readonly scenario: string;
  readonly step: string;
  /** Null: it was never reported while the step lasted. */
  readonly ms: number | null;
}

export interface StateShare {
  readonly state: string;
  readonly right: number;
  readonly total: number;
}

export interface Score {
  /** 0 to 1: the mean over states of the share of right samples. */
  readonly score: number;
  readonly states: readonly StateShare[];
  readonly wrong: readonly WrongTime[];
  readonly waits: readonly WaitFault[];
  readonly latencies: readonly Latency[];
}

const stateOf = (word: string): string => word.split('/')[0] ?? '';
const isWaiting = (word: string): boolean => word.startsWith('waiting_');

/** A truth without a reason leaves the reason open. */
export function isRight(answer: string, truth: Truth): boolean {
  if (truth === 'left') return ['no_agent', 'unknown'].includes(stateOf(answer));
  return truth.includes('/') ? answer === truth : stateOf(answer) === truth;
}

function stepsOf({ scenario, truths, endMs }: Timeline): readonly Step[] {
  const steps: Step[] = [];
  let changedMs = 0;
  let previous: TruthChange | null = null;
  for (const [index, change] of truths.entries()) {
    const { step, truth, atMs } = change;
    if (previous?.truth !== truth) changedMs = atMs;
    const toMs = truths[index + 1]?.atMs ?? endMs;
    const before = previous?.truth ?? null;
    if (truth !== null)
      steps.push({ scenario, step, truth, before, fromMs: atMs, toMs, changedMs });
    previous = change;
  }
  return steps;
}

const within = (samples: readonly Sample[], fromMs: number, toMs: number): readonly Sample[] =>
  samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);

/** The samples that count, of a step that lasts long enough. */
function judgedSamples(step: Step, samples: readonly Sample[]): readonly Sample[] {
  const { fromMs, toMs, changedMs } = step;
  if (toMs - fromMs < JUDGED_MIN_MS) return [];
  return within(samples, Math.max(fromMs, changedMs + GRACE_MS), toMs);
}

interface Stretch {
  readonly answer: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Stretches of neighbouring samples of which each is such and all say the same. */
function stretches(
  samples: readonly Sample[],
  endMs: number,
  isSuch: (answer: string) => boolean,
): readonly Stretch[] {
  const found: Stretch[] = [];
  let open: { answer: string; fromMs: number } | null = null;
  for (const { atMs, answer } of samples) {
    if (open !== null && answer === open.answer) continue;
    if (open !== null) found.push({ ...open, toMs: atMs });
    open = isSuch(answer) ? { answer, fromMs: atMs } : null;
  }
  if (open !== null) found.push({ ...open, toMs: endMs });
  return found;
}

const secondsOf = ({ fromMs, toMs }: Stretch): number => (toMs - fromMs) / 1_000;

function wrongOf(step: Step, samples: readonly Sample[]): readonly WrongTime[] {
  const { scenario, step: name, truth, before, toMs } = step;
  const isWrong = (answer: string): boolean => !isRight(answer, truth);
  return stretches(judgedSamples(step, samples), toMs, isWrong).map((stretch) => ({
    scenario,
    step: name,
    truth,
    before,
    answer: stretch.answer,
    fromMs: stretch.fromMs,
    seconds: secondsOf(stretch),
  }));
}

/** Different wrong answers one after the other are one time without the right one. */
function longest(found: readonly Stretch[]): number {
  let longestMs = 0;
  let fromMs = 0;
  let toMs = -1;
  for (const stretch of found) {
    if (stretch.fromMs !== toMs) fromMs = stretch.fromMs;
    toMs = stretch.toMs;
    longestMs = Math.max(longestMs, toMs - fromMs);
  }
  return longestMs;
}

function waitsOf(step: Step, samples: readonly Sample[]): readonly WaitFault[] {
  const { scenario, step: name, truth, before, fromMs, toMs } = step;
  const stepSamples = within(samples, fromMs, toMs);
  const fault = (kind: WaitFault['kind'], ms: number): readonly WaitFault[] =>
    ms > WAITING_MAX_MS ? [{ kind, scenario, step: name, seconds: ms / 1_000 }] : [];
  if (isWaiting(truth)) {
    return fault(
      'missed',
      longest(stretches(stepSamples, toMs, (answer) => !isRight(answer, truth))),
    );
  }
  if (before === null || !isWaiting(before)) return [];
  const first = stretches(stepSamples, toMs, isWaiting)[0];
  const startsThere = first !== undefined && first.fromMs === stepSamples[0]?.atMs;
  return startsThere ? fault('overstayed', first.toMs - fromMs) : [];
}

function latencyOf(step: Step, changes: readonly Sample[]): readonly Latency[] {
  const { scenario, step: name, truth, before, fromMs, toMs, changedMs } = step;
  if (changedMs !== fromMs) return [];
  const transition = `${before ?? 'start'} → ${truth}`;
  const atStart = changes.findLast(({ atMs }) => atMs <= fromMs);
  const first = changes.find(
    ({ atMs, answer }) => atMs > fromMs && atMs < toMs && isRight(answer, truth),
  );
  const wasRight = atStart !== undefined && isRight(atStart.answer, truth);
  const ms = wasRight ? 0 : first === undefined ? null : first.atMs - fromMs;
  return [{ transition, scenario, step: name, ms }];
}

/** The score of all panes and scenarios together. */
export function scoreOf(timelines: readonly Timeline[]): Score {
  const shares = new Map<string, { right: number; total: number }>();
  const wrong: WrongTime[] = [];
  const waits: WaitFault[] = [];
  const latencies: Latency[] = [];
  for (const timeline of timelines) {
    for (const step of stepsOf(timeline)) {
      const judged = judgedSamples(step, timeline.samples);
      if (judged.length > 0) {
        const state = stateOf(step.truth);
        const share = shares.get(state) ?? { right: 0, total: 0 };
        share.right += judged.filter(({ answer }) => isRight(answer, step.truth)).length;
        share.total += judged.length;
        shares.set(state, share);
      }
      wrong.push(...wrongOf(step, timeline.samples));
      waits.push(...waitsOf(step, timeline.samples));
      latencies.push(...latencyOf(step, timeline.changes));
    }
  }
  const states = [...shares].map(([state, share]) => ({ state, ...share }));
  const sum = states.reduce((all, { right, total }) => all + right / total, 0);
  const score = states.length === 0 ? Number.NaN : sum / states.length;
  return { score, states, wrong, waits, latencies };
}
