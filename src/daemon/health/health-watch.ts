// Measures the daemon against its own budgets over the last minute: the lag from a change to those
// who subscribed, and the share of a core that it takes. Pure: the owner of the timer passes time
// and processor time; what comes out is a signal for alerts.ts and figures for metrics.

import type { AlertSignal } from './alert-rules.ts';

export interface Budgets {
  readonly lagMs: number;
  readonly cpuPercent: number;
}

export interface HealthFigures {
  /** The 95th percentile; null while there is too little to judge. */
  readonly lagP95Ms: number | null;
  /** Of one core; null in the first seconds. */
  readonly cpuPercent: number | null;
}

const WINDOW_MS = 60_000;
/** Fewer samples give no usable percentile. */
const LAGS_MIN = 20;
const LAGS_MAX = 2_000;
/** Shorter spans would judge the burst at the start. */
const CPU_SPAN_MS_MIN = 30_000;

interface Sample {
  readonly atMs: number;
  readonly value: number;
}

export class HealthWatch {
  #lags: Sample[] = [];
  /** Processor time that was used up to each moment, oldest first. */
  #cpu: Sample[] = [];
  /** Events that were stored up to each moment, oldest first. */
  #events: Sample[] = [];
  #eventCount = 0;

  recordEvents(count: number): void {
    this.#eventCount += count;
  }

  /** Records the lag of one change. */
  recordLag(lagMs: number, atMs: number): void {
    this.#lags.push({ atMs, value: lagMs });
    if (this.#lags.length > LAGS_MAX) this.#lags = this.#lags.slice(-LAGS_MAX / 2);
  }

  /** Takes the processor time of the process so far, and returns the figures at `nowMs`. */
  measure(nowMs: number, cpuUsedMs: number): HealthFigures {
    const isRecent = ({ atMs }: Sample): boolean => nowMs - atMs <= WINDOW_MS;
    this.#lags = this.#lags.filter(isRecent);
    this.#cpu = [...this.#cpu.filter(isRecent), { atMs: nowMs, value: cpuUsedMs }];
    this.#events = [...this.#events.filter(isRecent), { atMs: nowMs, value: this.#eventCount }];
    return { lagP95Ms: this.#lagP95(), cpuPercent: this.cpuPercent };
  }

  #lagP95(): number | null {
    if (this.#lags.length < LAGS_MIN) return null;
    const sorted = this.#lags.map(({ value }) => value).sort((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null;
  }

  /** Of one core, as of the last measure; null in the first seconds. */
  get cpuPercent(): number | null {
    const share = growthPerMs(this.#cpu);
    return share === null ? null : share * 100;
  }

  get eventsPerMinute(): number | null {
    const perMs = growthPerMs(this.#events);
    return perMs === null ? null : Math.round(perMs * WINDOW_MS);
  }
}

function growthPerMs(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.atMs - first.atMs < CPU_SPAN_MS_MIN) return null;
  return (last.value - first.value) / (last.atMs - first.atMs);
}

/** The signals for alerts; an unknown figure breaks no budget. */
export function budgetSignals(
  { lagP95Ms, cpuPercent }: HealthFigures,
  budgets: Budgets,
): readonly AlertSignal[] {
  return [
    { kind: 'budget', name: 'lag_p95_ms', measured: lagP95Ms ?? 0, limit: budgets.lagMs },
    { kind: 'budget', name: 'cpu_percent', measured: cpuPercent ?? 0, limit: budgets.cpuPercent },
  ];
}
