// `npm run bench:cli`: `agtmux list panes` and `agtmux tmux-status` with a running daemon, beside
// `node -e 0` in the same run, and what the daemon must not have loaded. Fails over its budgets.
// `--json` prints the figures as data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { cliChecks, measureCli } from './live/cli-run.ts';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'boolean', default: false } } });

const COUNT = 40;

const load = loadavg()[0] ?? 0;
const figures = await measureCli(COUNT);
const checks = cliChecks(figures, 1);
if (flags.json) {
  say(JSON.stringify({ load, figures, checks }, null, 2));
} else {
  const { bareNode, listPanes, tmuxStatus, heavyPackages } = figures;
  const rowOf = (name: string, spread: Spread): string[] => {
    const ratios = [spread.minMs / bareNode.minMs, spread.p50Ms / bareNode.p50Ms];
    return [name, ...[spread.minMs, spread.p50Ms, spread.p95Ms, ...ratios].map(figure)];
  };
  say(`${COUNT} runs each in turns; load ${figure(load)}`);
  const head = ['ms', 'min', 'median', 'p95', 'min ratio', 'median ratio'];
  const rows = [
    rowOf('node -e 0', bareNode),
    rowOf('list panes', listPanes),
    rowOf('tmux-status', tmuxStatus),
  ];
  say(tableOf([head, ...rows]));
  say(`loaded by the daemon at rest, of hono, ws, MCP: ${heavyPackages.join(', ') || 'none'}`);
}
judge(checks);
