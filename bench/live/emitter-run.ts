// What one call of the emitter costs its caller, compared with `sh -c :`, with the pane's tmux
// server alive and a payload on stdin, as in a hook. Both take turns because machines are shared
// and noisy.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from './clock.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { emitterFile, Place } from './place.ts';

const WARM_UP_CALLS = 10;
/** Agents do not run hooks back to back: let the tmux that one call leaves behind end first. */
const PAUSE_MS = 10;
const P95_MS_MAX = 10;
/** A shell slower than this times its fastest tenth was delayed by other work. */
const CALM_FACTOR = 1.5;
/** A shell and two programs to wait for, and two that run beside them: about 2.5. */
export const RATIO_MAX = 6;

export interface EmitterFigures {
  readonly shell: Spread;
  readonly emitter: Spread;
  /** The calls before which the shell was not delayed. */
  readonly calm: Spread;
  readonly lost: number;
}

/** A payload of the usual size of a tool call. */
export const payload: string = JSON.stringify({
  session_id: 's',
  hook_event_name: 'Stop',
  text: 'x'.repeat(3_000),
});
export const hookArgs: readonly string[] =
  '--source claude-hooks --agent claude --event Stop --state done'.split(' ');

/** Milliseconds of one call, from its start until its caller knows that it has ended. */
function spentMs(program: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now();
  const { status } = spawnSync(program, args, { input: payload, env });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return performance.now() - startedMs;
}

/** The environment of a hook in a pane of the place. */
export function hookEnv(place: Place): NodeJS.ProcessEnv {
  place.tmux('new-session', '-d', 'sleep 100000');
  const pane = { TMUX: `${place.socket},${place.serverPid()},0`, TMUX_PANE: '%0' };
  // Claude sets CLAUDE_PID for its hooks. With it the emitter checks one ancestor, as for an agent
  // that the pane's shell started, instead of every ancestor of this benchmark.
  const agent = { CLAUDE_PID: place.tmux('display-message', '-p', '#{pane_pid}').trim() };
  return { ...place.env, AGTMUX_SPOOL: join(place.folder, 'spool'), ...pane, ...agent };
}

/** How many events arrived in the spool of the place. */
export const spooledCount = ({ folder }: Place): number =>
  readdirSync(join(folder, 'spool')).filter((name) => /^\d/.test(name)).length;

export async function measureEmitter(count: number): Promise<EmitterFigures> {
  using place = new Place();
  const env = hookEnv(place);
  const calls: { readonly shellMs: number; readonly emitterMs: number }[] = [];
  for (let call = 0; call < WARM_UP_CALLS + count; call += 1) {
    await pause(PAUSE_MS);
    const shellMs = spentMs('/bin/sh', ['-c', ':'], env);
    calls.push({ shellMs, emitterMs: spentMs(emitterFile, hookArgs, env) });
  }
  const judged = calls.slice(WARM_UP_CALLS);
  const shells = judged.map(({ shellMs }) => shellMs).toSorted((a, b) => a - b);
  const calmMs = (shells[Math.floor(shells.length / 10)] ?? Number.NaN) * CALM_FACTOR;
  const calm = judged.filter(({ shellMs }) => shellMs <= calmMs);
  const emitterMs = ({ emitterMs: spent }: { readonly emitterMs: number }): number => spent;
  return {
    shell: spreadOf(shells),
    emitter: spreadOf(judged.map(emitterMs)),
    calm: spreadOf(calm.map(emitterMs)),
    lost: calls.length - spooledCount(place),
  };
}

/** The figure of record, in milliseconds, of calls that other work did not delay. */
export const emitterChecks = ({ calm, lost }: EmitterFigures): readonly Check[] => [
  { name: 'emitter p95, calm', value: calm.p95Ms, limit: P95_MS_MAX, unit: 'ms' },
  { name: 'emitter events lost', value: lost, limit: 1, unit: '' },
];

/** What holds on a machine that is busy with other things as well. */
export const emitterRatioChecks = ({ shell, emitter, lost }: EmitterFigures): readonly Check[] => [
  { name: 'emitter / sh', value: emitter.p50Ms / shell.p50Ms, limit: RATIO_MAX, unit: 'x' },
  { name: 'emitter events lost', value: lost, limit: 1, unit: '' },
];
