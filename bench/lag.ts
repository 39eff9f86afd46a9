// `npm run bench:lag`: the time from a change in a pane to the push that a subscriber gets, for
// each way in which an agent shows its state. Fails over its budgets. `--ssh` puts the panes behind
// an sshd on loopback; `--attach` has control clients whatever the version of tmux; `--json` prints
// the figures as data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { figure, judge, say, tableOf } from './live/figures.ts';
import { type ChannelFigures, lagChecks, measureLag } from './live/lag-run.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    ssh: { type: 'boolean', default: false },
    attach: { type: 'boolean', default: false },
  },
});
const how = { isSsh: flags.ssh, isAttached: flags.attach };

const counts = { screen: 90, title: 90, osc: 200, emitter: 200, option: 30 };

function rowOf({ channel, lag, missed, baseline, baselineName }: ChannelFigures): string[] {
  const { count, p50Ms, p95Ms, p99Ms, maxMs } = lag;
  const ratio = figure(p50Ms / baseline.p50Ms);
  const points = [p50Ms, p95Ms, p99Ms, maxMs, baseline.p50Ms, baseline.p95Ms].map(figure);
  return [channel, String(count), String(missed.length), ...points, ratio, baselineName];
}

const loadBefore = loadavg()[0] ?? 0;
const figures = await measureLag(counts, how);
const checks = lagChecks(figures, 1, how);
if (flags.json) {
  say(JSON.stringify({ load: loadBefore, figures, checks }, null, 2));
} else {
  const head = ['ms', 'n', 'missed', 'p50', 'p95', 'p99', 'max', 'base p50', 'base p95', 'ratio'];
  say(`change to subscribed client${flags.ssh ? ', over ssh' : ''}; load ${figure(loadBefore)}`);
  say(tableOf([[...head, 'base'], ...figures.map(rowOf)]));
  for (const { channel, missed } of figures) {
    for (const name of missed) say(`missed: ${channel}, ${name}`);
  }
}
judge(checks);
