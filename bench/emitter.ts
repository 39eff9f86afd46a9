// `node bench/emitter.ts`: what one call of the emitter costs its caller, compared with `sh -c :`
// in the same run. The budget applies to the calls before which the shell itself was not delayed by
// other work. `BENCH_CALLS` sets the number of calls.

import { loadavg } from 'node:os';
import { emitterChecks, measureEmitter } from './live/emitter-run.ts';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 500);

const load = loadavg()[0] ?? 0;
const figures = await measureEmitter(CALLS);
const { shell, emitter, calm } = figures;
const rowOf = (name: string, { count, p50Ms, p95Ms, p99Ms }: Spread): string[] => [
  name,
  String(count),
  ...[p50Ms, p95Ms, p99Ms, p50Ms / shell.p50Ms].map(figure),
];
say(`load ${figure(load)}`);
const head = ['ms', 'n', 'p50', 'p95', 'p99', 'p50 ratio'];
say(tableOf([head, rowOf('sh -c :', shell), rowOf('emitter', emitter), rowOf('calm', calm)]));
judge(emitterChecks(figures));
