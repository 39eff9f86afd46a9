// A registry of counters, gauges and histograms that prints itself as Prometheus text. Every metric
// is declared once with its labels; the number of its series is bounded, so that names of others
// (agents, channels) cannot fill the memory.

export type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  value: number;
  /** Histograms: how many observations fell at or below each bound. */
  readonly counts: number[];
  count: number;
}

interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly bounds: readonly number[];
  readonly series: Map<string, Series>;
}

/** From a millisecond to ten seconds: the range of the budgets. */
export const secondsBounds: readonly number[] = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const SERIES_MAX = 200;
const LABEL_LENGTH_MAX = 120;
/** Label of the series that collects everything above the limit. */
const OTHERS = '_others';

export interface Counter {
  add(labels?: Labels, amount?: number): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export class Metrics {
  readonly #metrics = new Map<string, Metric>();

  counter(
    name: `agtmux_${string}_total`,
    help: string,
    labelNames: readonly string[] = [],
  ): Counter {
    const metric = this.#declare({ name, kind: 'counter', help, labelNames, bounds: [] });
    return {
      add: (labels = {}, amount = 1) => {
        if (amount > 0) seriesOf(metric, labels).value += amount;
      },
    };
  }

  gauge(name: `agtmux_${string}`, help: string, labelNames: readonly string[] = []): Gauge {
    const metric = this.#declare({ name, kind: 'gauge', help, labelNames, bounds: [] });
    return {
      set: (value, labels = {}) => {
        seriesOf(metric, labels).value = value;
      },
    };
  }

  histogram(
    name: `agtmux_${string}`,
    help: string,
    labelNames: readonly string[] = [],
    bounds: readonly number[] = secondsBounds,
  ): Histogram {
    const metric = this.#declare({ name, kind: 'histogram', help, labelNames, bounds });
    return {
      observe: (value, labels = {}) => {
        const series = seriesOf(metric, labels);
        series.value += value;
        series.count += 1;
        for (const [index, bound] of bounds.entries()) {
          if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
        }
      },
    };
  }

  /** All metrics in the text format of Prometheus, version 0.0.4. */
  text(): string {
    return [...this.#metrics.values()].map(metricText).join('');
  }

  #declare(metric: Omit<Metric, 'series'>): Metric {
    const { name, labelNames } = metric;
    const isValid = [name, ...labelNames].every((each) => /^[a-z_][a-z0-9_]*$/.test(each));
    if (!isValid || this.#metrics.has(name)) {
      throw new Error(`metric ${name} is declared twice or has an invalid name`);
    }
    const declared: Metric = { ...metric, series: new Map() };
    this.#metrics.set(name, declared);
    return declared;
  }
}

function seriesOf(metric: Metric, labels: Labels): Series {
  const values = metric.labelNames.map((name) => (labels[name] ?? '').slice(0, LABEL_LENGTH_MAX));
  const found = metric.series.get(JSON.stringify(values));
  if (found !== undefined) return found;
  const isFull = metric.series.size >= SERIES_MAX;
  const kept = isFull ? values.map(() => OTHERS) : values;
  const key = JSON.stringify(kept);
  const series = metric.series.get(key) ?? {
    labels: Object.fromEntries(metric.labelNames.map((name, index) => [name, kept[index] ?? ''])),
    value: 0,
    counts: metric.bounds.map(() => 0),
    count: 0,
  };
  metric.series.set(key, series);
  return series;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  const shown = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${shown} ${numberText(value)}\n`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function metricText({ name, kind, help, bounds, series }: Metric): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${kind}\n`;
  const lines = [...series.values()].map(({ labels, value, counts, count }) => {
    if (kind !== 'histogram') return line(name, labels, value);
    const buckets = [...bounds.map(numberText), '+Inf'].map((le, index) =>
      line(`${name}_bucket`, { ...labels, le }, counts[index] ?? count),
    );
    return [
      ...buckets,
      line(`${name}_sum`, labels, value),
      line(`${name}_count`, labels, count),
    ].join('');
  });
  return head + lines.join('');
}
