// `npm run bench:smoke`: a short run of lag, command line, emitter and cost on small sizes, with
// generous limits. It catches breakage on machines that are busy with other work; the figures of
// record come from the long runs.

import { type BusyFigures, busyChecks, busyCost, measureBusy } from './live/busy-run.ts';
import { cliChecks, measureCli } from './live/cli-run.ts';
import { atOnceChecks, measureAtOnce } from './live/emitter-load-run.ts';
import { emitterRatioChecks, measureEmitter } from './live/emitter-run.ts';
import { type Check, figure, judge, say } from './live/figures.ts';
import { lagChecks, measureLag } from './live/lag-run.ts';
import { ranInNamespace } from './live/own-namespace.ts';
import { measureQuiet, quietChecks } from './live/quiet-run.ts';

/** How much over its budget a figure may be before the run fails. */
const LAG_FACTOR = 8;
const CLI_FACTOR = 2;
const QUIET_FACTOR = 3;

const lagCounts = { screen: 12, title: 12, osc: 0, emitter: 24, option: 3 };
/** An OSC is read only where tmux is attached to. */
const oscCounts = { screen: 0, title: 0, osc: 24, emitter: 0, option: 0 };
const quietSize = { sessions: 2, panesEach: 10, agentsEach: 2, warmUpMs: 3_000, measureMs: 8_000 };
const busySize = {
  sessions: 4,
  panesEach: 25,
  agentsEach: 5,
  changing: 10,
  warmUpMs: 3_000,
  aloneMs: 6_000,
  rounds: 1,
  measureMs: 12_000,
  pollerMs: 6_000,
};

/** A tenth of the panes; watching must cost less than polling them does. */
function smallBusyChecks(figures: BusyFigures): readonly Check[] {
  const { poller, serverAlone } = figures;
  const others = poller.own + poller.server - serverAlone;
  const ratio = {
    name: 'busy CPU / poller',
    value: busyCost(figures) / others,
    limit: 1,
    unit: 'x',
  };
  return [...busyChecks(figures, 1).filter(({ name }) => name !== 'busy changes missed'), ratio];
}

async function main(): Promise<void> {
  const startedMs = performance.now();
  const part = (name: string): boolean =>
    say(`${figure((performance.now() - startedMs) / 1_000)} s: ${name}`);
  part('lag');
  const lag = lagChecks(await measureLag(lagCounts), LAG_FACTOR);
  const osc = lagChecks(await measureLag(oscCounts, { isAttached: true }), LAG_FACTOR);
  part('command line');
  const cli = cliChecks(await measureCli(6), CLI_FACTOR);
  part('emitter');
  const emitter = [
    ...emitterRatioChecks(await measureEmitter(40)),
    ...atOnceChecks(measureAtOnce(50, 3)),
  ];
  part('quiet');
  const quiet = quietChecks(await measureQuiet(quietSize), QUIET_FACTOR);
  part('busy');
  const busy = smallBusyChecks(await measureBusy(busySize));
  part('done');
  judge([...lag, ...osc, ...cli, ...emitter, ...quiet, ...busy]);
}

if (!(await ranInNamespace())) await main();
