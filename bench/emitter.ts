// `node bench/emitter.ts`: what one call of the emitter costs its caller, beside the same number
// of `sh -c :` in the same run, with the pane's tmux server alive and a payload on stdin, as a hook
// has it. Both take turns, because machines are shared and noisy. Fails over the budget.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 500);
const WARM_UP_CALLS = 20;
/** No agent runs its hooks back to back: the tmux that one leaves behind is not the next one's. */
const PAUSE_MS = 10;
const P95_MS_MAX = 10;

const emitter = fileURLToPath(new URL('../emitter/agtmux-emit', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agtmux-bench-'));
const socket = join(folder, 'sock');
const spool = join(folder, 'spool');
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const tmux = (...args: readonly string[]): string =>
  spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args])
    .stdout?.toString()
    .trim() ?? '';

/** A payload of the usual size of a tool call. */
const input = JSON.stringify({ session_id: 's', hook_event_name: 'Stop', text: 'x'.repeat(3_000) });
const hook = '--source claude-hooks --agent claude --event Stop --state done'.split(' ');

/** Milliseconds of one call, from its start until its caller knows that it has ended. */
function spentMs(program: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now();
  const { status } = spawnSync(program, args, { input, env });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return performance.now() - startedMs;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

function row(title: string, valuesMs: readonly number[]): readonly number[] {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  const points = [0.5, 0.95, 0.99].map((share) => at(sorted, share));
  say(`${title.padEnd(12)}${points.map((ms) => ms.toFixed(2).padStart(8)).join('')}`);
  return points;
}

try {
  tmux('new-session', '-d', 'sleep 100000');
  const server = tmux('display-message', '-p', '#{pid}');
  const isInTmux = server !== '';
  const PATH = process.env['PATH'] ?? '/usr/bin:/bin';
  const pane = isInTmux ? { TMUX: `${socket},${server},0`, TMUX_PANE: '%0' } : {};
  const env = { PATH, AGTMUX_SPOOL: spool, ...pane };
  const [plain, emitted]: [number[], number[]] = [[], []];
  for (let call = -WARM_UP_CALLS; call < CALLS; call += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const pair = [spentMs('/bin/sh', ['-c', ':'], env), spentMs(emitter, hook, env)] as const;
    if (call < 0) continue;
    plain.push(pair[0]);
    emitted.push(pair[1]);
  }
  const lost = CALLS + WARM_UP_CALLS - readdirSync(spool).filter((name) => /^\d/.test(name)).length;
  say(`${CALLS} calls each, ms (${isInTmux ? 'with tmux' : 'without tmux'}), ${lost} events lost`);
  say(`${''.padEnd(12)}${['p50', 'p95', 'p99'].map((name) => name.padStart(8)).join('')}`);
  const base = row('sh -c :', plain);
  const ours = row('emitter', emitted);
  const differences = ours.map((ms, index) => (ms - (base[index] ?? 0)).toFixed(2).padStart(8));
  say(`${'difference'.padEnd(12)}${differences.join('')}`);
  const isGood = lost === 0 && (ours[1] ?? Number.NaN) < P95_MS_MAX;
  say(`${isGood ? 'within' : 'over'} its budget: p95 under ${P95_MS_MAX} ms, none lost`);
  process.exitCode = isGood ? 0 : 1;
} finally {
  tmux('kill-server');
  rmSync(folder, { recursive: true, force: true });
}
