// The figures of one agent in one mode, and what the gate says of them. Pure: they are kept as data
// between runs, so that a run of one agent renews only its part of the scoreboard.

import { SIGNAL_P95_MS, scoreGate } from './gate.ts';
import { isOpaque, type Mode } from './mode.ts';
import type { ScenarioRun } from './play.ts';
import { type Score, scoreOf, WAITING_MAX_MS } from './score.ts';
import type { SignalLag } from './signal-lag.ts';

/** Their lines carry the time of what they tell, and are written up to a second later. */
const delayedSources = new Set(['claude-transcript', 'opencode-log', 'kilo-log']);

export interface Figures extends Score, RunLabel {
  readonly scenarios: readonly string[];
  /** The day of the oldest run, as 2026-01-31. */
  readonly day: string;
  /** The mean over its runs. */
  readonly load: number;
  readonly lags: readonly SignalLag[];
  readonly faults: readonly string[];
}

export interface RunLabel {
  readonly agent: string;
  readonly version: string;
  readonly mode: Mode;
}

export function figuresOf(about: RunLabel, played: readonly ScenarioRun[]): Figures {
  const score = scoreOf(played.flatMap(({ timelines }) => timelines));
  const lags = played.flatMap((one) => one.lags);
  const faults = played.flatMap(({ scenario, fault }) =>
    fault === null ? [] : [`${scenario}: ${fault}`],
  );
  const scenarios = played.map(({ scenario }) => scenario);
  const day = played.map((one) => one.day).toSorted()[0] ?? '-';
  const load = played.reduce((sum, one) => sum + one.load, 0) / played.length;
  return { ...about, scenarios, day, load, ...score, lags, faults };
}

/** Nearest rank; not a number when there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Cut and not rounded: only a run without a wrong sample reads 100.0. */
export const percent = (share: number): string =>
  Number.isNaN(share) ? '-' : `${(Math.floor(share * 1_000 + 1e-9) / 10).toFixed(1)} %`;

/** What is under the gate, in words; empty when all is well. */
export function failuresOf(figures: Figures, isQuick: boolean): readonly string[] {
  const { agent, mode, score, waits, lags, faults } = figures;
  const name = `${agent} ${mode}`;
  const least = scoreGate(agent, mode, isQuick);
  // An agent that twice did not come up on a busy machine says nothing of the daemon; one that was
  // never judged at all has no score, and that fails.
  const failed = isQuick ? [] : faults;
  const found = failed.map((fault) => `${name}: the driver failed in ${fault}`);
  if (!(score >= least)) found.push(`${name}: ${percent(score)} is under ${percent(least)}`);
  if (isQuick) return found;
  for (const { kind, scenario, step, seconds } of waits) {
    const limit = WAITING_MAX_MS / 1_000;
    found.push(
      `${name}: a wait ${kind} for ${seconds.toFixed(1)} s, over ${limit} s: ${scenario}, ${step}`,
    );
  }
  const gated = lags.filter(({ source }) => !delayedSources.has(source)).map(({ ms }) => ms);
  const p95Ms = percentile(gated, 0.95);
  if (mode !== 'over ssh' && !isOpaque(mode) && p95Ms > SIGNAL_P95_MS)
    found.push(`${name}: signals took ${p95Ms.toFixed(0)} ms (p95)`);
  return found;
}
