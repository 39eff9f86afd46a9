// The composition root: builds every part of the daemon in order, by hand, and takes them down in
// the opposite order. What each part does stands in its own file; loop.ts is the story.

import { setTimeout as pause } from 'node:timers/promises';
import { summarize } from '../core/view/summary.ts';
import { Fault } from '../platform/fault.ts';
import { tmuxSocketPaths } from '../platform/files/tmux-sockets.ts';
import { configSchema } from '../schema/config.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import { problemOf } from '../schema/problem.ts';
import { ApiServer } from './api-server.ts';
import { DaemonCore, type DaemonCoreOptions, LOCAL } from './daemon-core.ts';
import { cpuUsedMs } from './health/daemon-metrics.ts';
import { budgetSignals } from './health/health-watch.ts';
import { upgradeLocalEmitter } from './hooks/hooks-work.ts';
import { claimPlace, type Place } from './life/claim-place.ts';
import { Shutdown } from './life/shutdown.ts';
import { storeJobs, Upkeep, type UpkeepJob } from './life/upkeep.ts';
import { PublishOptions } from './publishing/publish-options.ts';
import { StatusLine } from './publishing/status-line.ts';
import { Collectors } from './watching/collectors.ts';

/** Long enough for a hundred agents; whoever waits for the daemon gives it 5 s. */
const FIRST_READING_MS = 1_500;
const POLL_MS = 10;
const DOOR_MS = 2_000;
/** A branch is read from a few files of each folder. */
const BRANCHES_MS = 30_000;
/** How soon options follow a change of the configuration, or a server that is back. */
const OPTIONS_MS = 2_000;

export interface DaemonOptions extends DaemonCoreOptions {
  readonly socketPath: string;
  readonly tmuxSockets: readonly string[];
}

/** Runs the daemon until it is told to end. Resolves with an exit code only if it cannot start. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const checked = checkOptions(options);
  const claimed = checked.ok ? await claimPlace(options.socketPath, process.env) : checked;
  if (!claimed.ok) {
    const { code, message } = claimed.refusal;
    process.stderr.write(`${code}: ${message}\n`);
    return problemOf(code).exitCode;
  }
  try {
    await startDaemon(claimed.value, options);
  } catch (error) {
    claimed.value.lock[Symbol.dispose]();
    if (!(error instanceof Fault)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    return problemOf(error.code).exitCode;
  }
  return new Promise(() => {});
}

/** An option may set no more than the configuration could. */
function checkOptions({ pollIntervalMs: sweepMs }: DaemonOptions): Outcome<null> {
  const checked = configSchema.safeParse(sweepMs === undefined ? {} : { tmux: { sweepMs } });
  if (checked.success) return ok(null);
  const [issue] = checked.error.issues;
  return refuse('E_INPUT_INVALID', `--poll-interval in milliseconds: ${issue?.message}`);
}

async function startDaemon(place: Place, options: DaemonOptions): Promise<void> {
  const base = new DaemonCore(place, options);
  const gathering = new Collectors(base, socketPathsOf(base, options));
  const doors = new ApiServer({
    base,
    gathering,
    stop: (reason) => setImmediate(() => shutdown.end(reason)),
    onDefect: (error) => shutdown.defect(error),
  });
  const statusLine = new StatusLine({
    servers: () => gathering.watchers.linksOf(LOCAL),
    byState: () => summarize(base.engine.world.panes.values()).byState,
    nowMs: () => Date.now(),
  });
  const published = new PublishOptions({
    isOn: () => base.config.tmux.publishOptions,
    panes: () => base.engine.world.panes.values(),
    serversOf: (targetId) => gathering.watchers.linksOf(targetId),
  });
  base.loop.onApplied(() => statusLine.changed());
  base.loop.onApplied(() => published.changed());
  const upkeep = new Upkeep({
    jobs: [
      ...jobsOf(base, gathering),
      { name: 'door', everyMs: DOOR_MS, run: () => void doors.keepOpen() },
      { name: 'options', everyMs: OPTIONS_MS, run: () => void published.changed() },
      { name: 'branches', everyMs: BRANCHES_MS, run: () => void doors.readBranches() },
    ],
    onWake: (sleptMs) => {
      base.log.info({ sleptMs }, 'the machine slept');
      // First of all: whatever counts on the clock must hear of the sleep at its new time.
      base.nowMs.catchUp();
      base.loop.submit([{ kind: 'fact', fact: { type: 'host.woke', atMs: base.nowMs() } }]);
    },
    onFault: (name, fault) => base.fault(fault, name),
  });
  const shutdown = new Shutdown({
    log: base.log,
    quarantine: base.quarantine,
    onReload: () => base.reload(),
    endOnHangUp: process.stderr.isTTY === true,
    steps: [
      { name: 'doors', run: () => doors[Symbol.asyncDispose]() },
      { name: 'upkeep', run: () => upkeep[Symbol.dispose]() },
      { name: 'status line', run: () => statusLine[Symbol.asyncDispose]() },
      { name: 'options', run: () => published[Symbol.asyncDispose]() },
      { name: 'sources', run: () => gathering[Symbol.asyncDispose]() },
      { name: 'store', run: () => base[Symbol.dispose]() },
      { name: 'lock', run: () => place.lock[Symbol.dispose]() },
    ],
  });
  shutdown.install();
  base.begin();
  gathering.start();
  statusLine.start();
  await firstReading(gathering);
  await doors.open();
  upkeep.start();
  void upgradeLocalEmitter((problem) => base.log.warn({ problem }, 'the emitter is an old one'));
  base.log.info({ socket: place.socketPath }, 'the daemon has started');
}

/** Whoever started the daemon asks at once: the first answer should be a right one. */
async function firstReading(gathering: Collectors): Promise<void> {
  const deadlineMs = performance.now() + FIRST_READING_MS;
  while (!gathering.isRead() && performance.now() < deadlineMs) await pause(POLL_MS);
}

function socketPathsOf(base: DaemonCore, { tmuxSockets }: DaemonOptions): readonly string[] {
  return tmuxSocketPaths({
    asked: tmuxSockets,
    env: process.env,
    uid: process.getuid?.() ?? 0,
    configured: base.config.tmux.sockets,
  });
}

/** What runs now and then. */
function jobsOf(base: DaemonCore, gathering: Collectors): readonly UpkeepJob[] {
  const { engine, store, alerts, health, nowMs } = base;
  return [
    { name: 'beat', everyMs: 1_000, run: () => void gathering.beat() },
    { name: 'alerts', everyMs: 10_000, run: () => void alerts.tick() },
    {
      name: 'health',
      everyMs: 10_000,
      run: () => {
        const figures = health.measure(nowMs(), cpuUsedMs());
        for (const signal of budgetSignals(figures, base.config.budgets)) base.signal(signal);
        return undefined;
      },
    },
    ...storeJobs({ store, engine, nowMs, retention: () => base.config.retention }),
  ];
}
