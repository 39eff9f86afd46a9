// The emitter where the machine has no time for it: every core is busy with other work, and many
// agents run their hooks at the same moment. `sh -c :` goes through the same, in turns with it.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import {
  hookArgs,
  hookEnv,
  measureEmitter,
  payload,
  RATIO_MAX,
  spooledCount,
} from './emitter-run.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { emitterFile, Place } from './place.ts';

/** How long 50 calls of a slow machine may take; then the run fails. */
const BURST_MS_MAX = 60_000;
/** What one call leaves behind runs beside the other calls, which the ratio then has too. */
const BURST_RATIO_MAX = 10;
/** Agents give a hook 10 s and more. */
const CALL_MS_MAX = 5_000;

export interface LoadFigures {
  readonly shell: Spread;
  readonly emitter: Spread;
  readonly lost: number;
}

/** Programs that use every core until they are disposed. */
function busyCores(): Disposable {
  const spinners = cpus().map(() => spawn('/bin/sh', ['-c', 'while :; do :; done']));
  return {
    [Symbol.dispose]() {
      for (const spinner of spinners) spinner.kill('SIGKILL');
    },
  };
}

/** Calls one after the other while every core is busy. */
export async function measureOnBusyCores(count: number): Promise<LoadFigures> {
  using _busy = busyCores();
  return measureEmitter(count);
}

// Each call is timed by the shell that started it, and bash has a clock without a process.
const BURST = `
input=$1 times=$2 count=$3
shift 3
one() {
  local from=$EPOCHREALTIME
  "$@" <"$input" && echo "$from $EPOCHREALTIME" >>"$times"
}
while ((count-- > 0)); do one "$@" & done
wait
`;

interface Burst {
  /** The milliseconds of each call. */
  readonly callsMs: readonly number[];
  /** From the start of the first to the end of the last. */
  readonly wholeMs: number;
}

/** Many calls that are started at the same moment. */
function runBurst(
  place: Place,
  env: NodeJS.ProcessEnv,
  count: number,
  argv: readonly string[],
): Burst {
  const input = join(place.folder, 'payload');
  const times = join(place.folder, 'times');
  writeFileSync(input, payload);
  writeFileSync(times, '');
  const args = ['-c', BURST, 'bash', input, times, String(count), ...argv];
  const { status } = spawnSync('bash', args, { env, timeout: BURST_MS_MAX, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${count} calls at once ended with ${status}`);
  const calls = readFileSync(times, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [from = Number.NaN, to = Number.NaN] = line.split(' ').map(Number);
      return { fromMs: from * 1_000, toMs: to * 1_000 };
    });
  rmSync(times);
  const firstMs = Math.min(...calls.map(({ fromMs }) => fromMs));
  const lastMs = Math.max(...calls.map(({ toMs }) => toMs));
  return { callsMs: calls.map(({ fromMs, toMs }) => toMs - fromMs), wholeMs: lastMs - firstMs };
}

export interface BurstFigures extends LoadFigures {
  /** Until the last of them has ended, round by round. */
  readonly wholeShell: Spread;
  readonly wholeEmitter: Spread;
}

/** Rounds of many calls at the same moment. */
export function measureAtOnce(count: number, rounds: number): BurstFigures {
  using place = new Place();
  const env = hookEnv(place);
  const shells: Burst[] = [];
  const emitters: Burst[] = [];
  for (let round = 0; round < rounds; round += 1) {
    shells.push(runBurst(place, env, count, ['/bin/sh', '-c', ':']));
    emitters.push(runBurst(place, env, count, [emitterFile, ...hookArgs]));
  }
  const calls = emitters.flatMap(({ callsMs }) => callsMs);
  return {
    shell: spreadOf(shells.flatMap(({ callsMs }) => callsMs)),
    emitter: spreadOf(calls),
    wholeShell: spreadOf(shells.map(({ wholeMs }) => wholeMs)),
    wholeEmitter: spreadOf(emitters.map(({ wholeMs }) => wholeMs)),
    lost: count * rounds - Math.min(spooledCount(place), calls.length),
  };
}

/** The ratio to the shell in the same run, the longest call, and nothing lost. */
export const busyCoresChecks = ({ shell, emitter, lost }: LoadFigures): readonly Check[] => [
  {
    name: 'busy cores: emitter / sh',
    value: emitter.p50Ms / shell.p50Ms,
    limit: RATIO_MAX,
    unit: 'x',
  },
  { name: 'busy cores: longest call', value: emitter.maxMs, limit: CALL_MS_MAX, unit: 'ms' },
  { name: 'busy cores: events lost', value: lost, limit: 1, unit: '' },
];

/** The same, where the whole burst is compared: shells that do nothing hardly overlap. */
export function atOnceChecks(figures: BurstFigures): readonly Check[] {
  const { wholeShell, wholeEmitter, emitter, lost } = figures;
  const ratio = wholeEmitter.p50Ms / wholeShell.p50Ms;
  return [
    { name: '50 at once: emitter / sh', value: ratio, limit: BURST_RATIO_MAX, unit: 'x' },
    { name: '50 at once: longest call', value: emitter.maxMs, limit: CALL_MS_MAX, unit: 'ms' },
    { name: '50 at once: events lost', value: lost, limit: 1, unit: '' },
  ];
}
