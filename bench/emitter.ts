// `npm run bench:emitter`: what one call of the emitter costs its caller, compared with `sh -c :`
// in the same run: on a machine as it is, with every core busy, and 50 calls at the same moment.
// The budget of the first applies to calls before which the shell was not delayed by other work.
// `BENCH_CALLS` sets the number of calls.

import { loadavg } from 'node:os';
import {
  atOnceChecks,
  busyCoresChecks,
  type LoadFigures,
  measureAtOnce,
  measureOnBusyCores,
} from './live/emitter-load-run.ts';
import { emitterChecks, measureEmitter } from './live/emitter-run.ts';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 500);
const AT_ONCE = 50;
const ROUNDS = 10;

const spreadCells = ({ count, p50Ms, p95Ms, p99Ms, maxMs }: Spread): string[] => [
  String(count),
  ...[p50Ms, p95Ms, p99Ms, maxMs].map(figure),
];
const rowsOf = (name: string, { shell, emitter, lost }: LoadFigures): string[][] => [
  [`${name}: sh -c :`, ...spreadCells(shell)],
  [
    `${name}: emitter`,
    ...spreadCells(emitter),
    figure(emitter.p50Ms / shell.p50Ms),
    figure(emitter.p95Ms / shell.p95Ms),
    String(lost),
  ],
];

const load = loadavg()[0] ?? 0;
const alone = await measureEmitter(CALLS);
const busy = await measureOnBusyCores(Math.ceil(CALLS / 2));
const burst = measureAtOnce(AT_ONCE, ROUNDS);
const burstName = `${AT_ONCE} at once`;
say(`load ${figure(load)} before the run`);
const head = ['ms', 'n', 'p50', 'p95', 'p99', 'max', 'p50 ratio', 'p95 ratio', 'lost'];
const rows = [
  ...rowsOf('alone', alone),
  ['alone: emitter, calm', ...spreadCells(alone.calm)],
  ...rowsOf('busy cores', busy),
  ...rowsOf(burstName, burst),
  ...rowsOf(`all of ${burstName}`, {
    shell: burst.wholeShell,
    emitter: burst.wholeEmitter,
    lost: burst.lost,
  }),
];
say(tableOf([head, ...rows]));
judge([...emitterChecks(alone), ...busyCoresChecks(busy), ...atOnceChecks(burst)]);
