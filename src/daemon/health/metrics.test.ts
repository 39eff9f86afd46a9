import { expect, test } from 'vitest';
import { type Labels, Metrics } from './metrics.ts';

const sample = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const pair = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

function labelsOf(text: string): Labels {
  const labels: Record<string, string> = {};
  pair.lastIndex = 0;
  while (pair.lastIndex < text.length) {
    const found = pair.exec(text);
    if (found === null) throw new Error(`not a list of labels: ${text}`);
    const [, name = '', value = ''] = found;
    labels[name] = value.replaceAll(/\\(.)/g, (_all, char) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

/** Reads the text by the rules of the format, and fails where it breaks one. */
function parse(text: string) {
  expect(text.endsWith('\n')).toBe(true);
  let type = ['', ''];
  const samples: { name: string; labels: Labels; value: number }[] = [];
  for (const line of text.slice(0, -1).split('\n')) {
    if (line.startsWith('# HELP ')) continue;
    if (line.startsWith('# TYPE ')) {
      type = line.slice(7).split(' ');
      expect(['counter', 'gauge', 'histogram']).toContain(type[1]);
      continue;
    }
    const found = sample.exec(line);
    if (found === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels = '', value] = found;
    expect(name.startsWith(type[0] ?? '')).toBe(true);
    samples.push({
      name,
      labels: labelsOf(labels),
      value: Number(value?.replace('Inf', 'Infinity')),
    });
  }
  return samples;
}

test('the text holds what was counted, under labels that survive any text', () => {
  const metrics = new Metrics();
  const events = metrics.counter('agtmux_events_total', 'Events.\nBy "source".', ['source']);
  const nasty = 'a"b\\c\nd{e},f="g"';
  events.add({ source: nasty });
  events.add({ source: nasty }, 2);
  events.add({ source: nasty }, -5);
  metrics.gauge('agtmux_panes', 'Panes.').set(7);
  expect(parse(metrics.text())).toEqual([
    { name: 'agtmux_events_total', labels: { source: nasty }, value: 3 },
    { name: 'agtmux_panes', labels: {}, value: 7 },
  ]);
});

test('a histogram counts at or below each bound, and everything in the last', () => {
  const metrics = new Metrics();
  const lag = metrics.histogram('agtmux_lag_seconds', 'Lag.', ['source'], [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 30]) lag.observe(value, { source: 'screen' });
  const values = parse(metrics.text()).map(({ name, labels, value }) => [
    name,
    labels['le'],
    value,
  ]);
  expect(values).toEqual([
    ['agtmux_lag_seconds_bucket', '0.1', 2],
    ['agtmux_lag_seconds_bucket', '1', 3],
    ['agtmux_lag_seconds_bucket', '+Inf', 4],
    ['agtmux_lag_seconds_sum', undefined, 30.65],
    ['agtmux_lag_seconds_count', undefined, 4],
  ]);
});

test('series beyond the bound are counted as one', () => {
  const metrics = new Metrics();
  const events = metrics.counter('agtmux_events_total', 'Events.', ['source']);
  for (let n = 0; n < 1_000; n += 1) events.add({ source: `source-${n}` });
  events.add({ source: 'source-0' });
  const samples = parse(metrics.text());
  expect(samples).toHaveLength(201);
  const others = samples.find(({ labels }) => labels['source'] === '_others');
  expect(others?.value).toBe(800);
  expect(samples[0]).toMatchObject({ labels: { source: 'source-0' }, value: 2 });
});

test('NaN and infinity are printed as the Prometheus format wants them', () => {
  const metrics = new Metrics();
  const gauge = metrics.gauge('agtmux_odd', 'Odd.', ['kind']);
  gauge.set(Number.NaN, { kind: 'nan' });
  gauge.set(Number.POSITIVE_INFINITY, { kind: 'inf' });
  expect(parse(metrics.text()).map(({ value }) => value)).toEqual([Number.NaN, Infinity]);
});

test('declaring a name twice, or an invalid one, throws', () => {
  const metrics = new Metrics();
  metrics.gauge('agtmux_panes', 'Panes.');
  expect(() => metrics.gauge('agtmux_panes', 'Panes.')).toThrow(/twice/);
  expect(() => metrics.gauge('agtmux_a b', 'Wrong.')).toThrow(/agtmux_a b/);
});
