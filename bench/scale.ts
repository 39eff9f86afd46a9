// `npm run bench:scale`: what watching costs. Quiet: 50 panes with 10 agents at rest. Busy: 1,000
// panes with 200 agents that repaint at 5 Hz. Both are compared with a naive poller on the same
// panes. Fails over its budgets. `--minutes 10` is the long run for memory, `--only quiet|busy`
// runs one half, `--profile DIR` saves the daemon's CPU profiles, `--json` prints data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type BusyFigures, busyChecks, busyCost, growthMb, measureBusy } from './live/busy-run.ts';
import { type Check, figure, judge, say, tableOf } from './live/figures.ts';
import { isInside, ranInNamespace } from './live/own-namespace.ts';
import { measureQuiet, type QuietFigures, quietChecks, quietCost } from './live/quiet-run.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});

const nodeArgs =
  flags.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`];

const quietSize = {
  sessions: 5,
  panesEach: 10,
  agentsEach: 2,
  // V8 takes some minutes to compile what runs once a second; until then it costs 0.3 %.
  warmUpMs: 240_000,
  measureMs: 60_000,
  nodeArgs,
};

// The long run measures the memory of one daemon after V8 and SQLite have sized heap and cache.
const isLong = Number(flags.minutes) >= 3;

const busySize = {
  sessions: 20,
  panesEach: 50,
  agentsEach: 10,
  changing: 25,
  warmUpMs: isLong ? 120_000 : 20_000,
  aloneMs: 60_000,
  measureMs: Number(flags.minutes) * 60_000,
  rounds: isLong ? 1 : 3,
  pollerMs: 60_000,
  nodeArgs,
};

const percent = (value: number): string => `${value.toFixed(2)} %`;

function sayQuiet(figures: QuietFigures): void {
  const { serverAlone, serverWatched, daemon, clients, memory, spawned } = figures;
  const { pollerWithServer, pollerSpawned } = figures;
  const others = pollerWithServer - serverAlone;
  say('quiet: 50 panes, 10 agents at rest, 5 sessions; percent of a core');
  const rows: [string, string][] = [
    ['tmux server without us', percent(serverAlone)],
    ['tmux server with us', percent(serverWatched)],
    ['daemon, all threads', percent(daemon)],
    ['its tmux clients', percent(clients)],
    ['what watching adds', percent(quietCost(figures))],
    ['memory (PSS), its clients included', `${figure(memory.totalMb)} MB`],
    ['  without the pages of Node itself', `${figure(memory.withoutProgramMb)} MB`],
    ['process ids given out in 60 s', spawned === null ? 'no PID namespace' : String(spawned)],
    ['naive poller adds', percent(others)],
    ['naive poller, process ids in 30 s', String(pollerSpawned ?? 'no PID namespace')],
    ['poller / agtmux', `${figure(others / quietCost(figures))}x`],
  ];
  say(tableOf(rows));
}

const firstAndLast = (valuesMb: readonly number[]): string =>
  `${figure(valuesMb[0] ?? Number.NaN)}, ${figure(valuesMb.at(-1) ?? Number.NaN)} MB`;

function sayBusy(figures: BusyFigures): void {
  const { serverAlone, serverWatched, daemon, clients, memory, lags, poller } = figures;
  const { repaintsPerSecond, panes, agents } = figures;
  const others = poller.own + poller.server - serverAlone;
  say(`busy: ${panes} panes, ${agents} agents that repaint at 5 Hz; percent of a core`);
  const lagText = ({ p50Ms, p95Ms, maxMs, count, missed }: BusyFigures['lags']): string =>
    `p50 ${figure(p50Ms)}, p95 ${figure(p95Ms)}, max ${figure(maxMs)} ms; ` +
    `n ${count}, ${missed} missed`;
  const rows: [string, string][] = [
    ['repaints a second: alone, watched, polled', repaintsPerSecond.map(figure).join(', ')],
    ['tmux server without us', percent(serverAlone)],
    ['tmux server with us', percent(serverWatched)],
    ['daemon, all threads', percent(daemon)],
    ['its tmux clients', percent(clients)],
    ['what watching adds', percent(busyCost(figures))],
    ['lag of state changes', lagText(lags)],
    ['memory (PSS), first, last', firstAndLast(memory.map(({ totalMb }) => totalMb))],
    ['  without Node itself', firstAndLast(memory.map((each) => each.withoutProgramMb))],
    ['memory growth', `${figure(growthMb(memory))} MB in ${flags.minutes} min`],
    ['naive poller adds', `${percent(others)}, ${poller.rounds} rounds in 60 s`],
    ['naive poller, lag', lagText(poller.lags)],
    ['poller / agtmux', `${figure(others / busyCost(figures))}x`],
  ];
  say(tableOf(rows));
}

async function main(): Promise<void> {
  const checks: Check[] = [];
  const data: Record<string, unknown> = { load: loadavg()[0] };
  if (!flags.json) say(`load ${figure(loadavg()[0] ?? 0)}${isInside ? '' : ', no PID namespace'}`);
  if (flags.only !== 'busy') {
    const quiet = await measureQuiet(quietSize);
    if (!flags.json) sayQuiet(quiet);
    data['quiet'] = quiet;
    checks.push(...quietChecks(quiet, 1));
  }
  if (flags.only !== 'quiet') {
    const busy = await measureBusy(busySize);
    if (!flags.json) sayBusy(busy);
    data['busy'] = busy;
    checks.push(...busyChecks(busy, 1));
  }
  if (flags.json) say(JSON.stringify({ ...data, checks }, null, 2));
  judge(checks);
}

if (!(await ranInNamespace())) await main();
