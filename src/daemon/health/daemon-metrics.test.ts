// The daemon's own figures: what is measured of evidence, and what is shown of the watches.

import { expect, test } from 'vitest';
import { agents, claim, evidence, Run, T0 } from '../../../tests/scenario.ts';
import { DaemonMetrics } from './daemon-metrics.ts';
import { HealthWatch } from './health-watch.ts';

const watch = { server: '/tmp/tmux', listings: 5, captures: 4, osc: 0, unreadRows: 0 };

function setUp() {
  const metrics = new DaemonMetrics(
    {
      panes: () => [],
      channels: () => [],
      watches: () => [{ ...watch, unrecognisedLines: 3 }],
      clients: () => ({ connections: 0, subscribers: 0, web: 0, viewers: 0, sized_windows: 0 }),
    },
    new HealthWatch(),
  );
  return metrics;
}

test('the lag counts events only, not readings', () => {
  const metrics = setUp();
  const { events } = new Run(agents()).see(
    evidence('hooks', T0 + 1_000, [claim('running')], { ingestedAtMs: T0 + 1_200 }),
    evidence('screen', T0 + 2_000, [claim('running')], { kind: 'level' }),
  );
  metrics.applied({ lastSeq: events.length, events, changes: [] });
  const lags = metrics
    .text()
    .split('\n')
    .filter((line) => /^agtmux_evidence_lag_seconds_(count|sum)/.test(line));
  expect(lags.toSorted()).toEqual([
    'agtmux_evidence_lag_seconds_count{source="hooks"} 1',
    'agtmux_evidence_lag_seconds_sum{source="hooks"} 0.2',
  ]);
});

test('unrecognised tmux lines are counted', () => {
  const what = 'agtmux_watch{server="/tmp/tmux",what="unrecognisedLines"} 3';
  expect(setUp().text().split('\n')).toContain(what);
});
