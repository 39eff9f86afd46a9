// The composition root: builds every part of the daemon in order, by hand, and takes them down in
// the opposite order. What each part does is in its own file.

import { summarize } from '../core/view/summary.ts';
import type { TeamsPort } from '../operations/ports/teams-port.ts';
import { Fault } from '../platform/fault.ts';
import { tmuxSocketPaths } from '../platform/files/tmux-sockets.ts';
import { loadTeam } from '../relay/config/team-folder.ts';
import { type HudContent, hudFrame, hudLines } from '../render/overview/hud-lines.ts';
import { configSchema } from '../schema/config.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import { type ProblemCode, problemOf } from '../schema/problem.ts';
import { DamageCheck } from '../store/damage-check.ts';
import { shownCounts } from '../text/shown-counts.ts';
import { ApiServer } from './api-server.ts';
import { DaemonCore, type DaemonCoreOptions, LOCAL } from './daemon-core.ts';
import { cpuUsedMs } from './health/daemon-metrics.ts';
import { budgetSignals } from './health/health-watch.ts';
import { upgradeLocalEmitter } from './hooks/hooks-work.ts';
import { claimDaemonPaths, type DaemonPaths } from './life/daemon-paths.ts';
import { firstReading } from './life/first-reading.ts';
import { Shutdown } from './life/shutdown.ts';
import { storeJobs, Upkeep, type UpkeepJob } from './life/upkeep.ts';
import { Notifications } from './notifying/notifications.ts';
import { showPane } from './notifying/show-pane.ts';
import { openAcpMembers } from './open-acting.ts';
import { teamsPort } from './ports/teams.ts';
import { Hud } from './publishing/hud.ts';
import { HudSwitch } from './publishing/hud-file.ts';
import { PublishOptions } from './publishing/publish-options.ts';
import { StatusLine } from './publishing/status-line.ts';
import { BundleKeeper } from './teams/bundle-keeper.ts';
import { installId } from './teams/install-id.ts';
import { TeamRegistry } from './teams/team-registry.ts';
import { Collectors } from './watching/collectors.ts';

const SOCKET_MS = 2_000;
const ACP_BEAT_MS = 1_000;
/** How soon a queued prompt follows the rest of its agent. */
const DELIVERIES_MS = 1_000;
/** How soon a store that failed is found to work again. */
const STORE_MS = 1_000;
/** How soon after the start, or after a write to the file, its pages are checked. */
const DAMAGE_MS = 30_000;
/** A branch is read from a few files of each folder. */
const BRANCHES_MS = 30_000;
/** How soon the end of a member is seen that is to be started again. */
const BUNDLES_MS = 1_000;
/** How soon options follow a changed configuration or a reconnected server. */
const OPTIONS_MS = 2_000;

export interface DaemonOptions extends DaemonCoreOptions {
  readonly socketPath: string;
  readonly tmuxSockets: readonly string[];
}

/** Runs the daemon until it is stopped. Resolves with an exit code only if it cannot start. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const checked = checkOptions(options);
  const claimed = checked.ok ? await claimDaemonPaths(options.socketPath, process.env) : checked;
  if (!claimed.ok) {
    return printProblem(claimed.refusal);
  }
  try {
    await startDaemon(claimed.value, options);
  } catch (error) {
    claimed.value.lock[Symbol.dispose]();
    if (!(error instanceof Fault)) throw error;
    return printProblem(error);
  }
  return new Promise(() => {});
}

/** What is wrong and what to do; returns the exit code. */
function printProblem({ code, message }: { code: ProblemCode; message: string }): number {
  const { hint, exitCode } = problemOf(code);
  process.stderr.write(`${code}: ${message}\n${hint}\n`);
  return exitCode;
}

/** Command-line options have the limits of the configuration. */
function checkOptions({ pollIntervalMs: sweepMs }: DaemonOptions): Outcome<null> {
  const checked = configSchema.safeParse(sweepMs === undefined ? {} : { tmux: { sweepMs } });
  if (checked.success) return ok(null);
  const [issue] = checked.error.issues;
  return refuse('E_INPUT_INVALID', `--poll-interval in milliseconds: ${issue?.message}`);
}

async function startDaemon(paths: DaemonPaths, options: DaemonOptions): Promise<void> {
  const core = new DaemonCore(paths, options);
  const collectors = new Collectors(core, () => socketPathsOf(core, options));
  const hud: Hud = hudOf(core, collectors, () => apiServer.hudContent());
  const notifications = openNotifications(core, collectors);
  const { notifier } = notifications;
  const { teams, port: teamsOfAll, keeper } = openTeams(core, collectors);
  const acp = openAcpMembers(core, collectors, (error) => shutdown.defect(error));
  const apiServer = new ApiServer({
    core,
    collectors,
    acp,
    teams: teamsOfAll,
    notifications: notifications.parts,
    hud,
    stop: (reason) => setImmediate(() => shutdown.end(reason)),
    onDefect: (error) => shutdown.defect(error),
  });
  const statusLine = statusLineOf(core, collectors);
  const published = new PublishOptions({
    isOn: () => core.config.tmux.publishOptions,
    panes: () => core.shownWorld().panes.values(),
    serversOf: (targetId) => collectors.watchers.linksOf(targetId),
  });
  core.loop.onApplied(() => statusLine.changed());
  core.loop.onApplied(() => published.changed());
  core.loop.onApplied(() => hud.changed());
  core.storeHealth.onChange(() => {
    statusLine.changed();
    published.changed();
  });
  const damage = new DamageCheck({
    path: core.store.path,
    onResult: (fault) => core.databaseChecked(fault),
  });
  const upkeep = new Upkeep({
    jobs: [
      { name: 'damage', everyMs: DAMAGE_MS, run: () => void damage.startIfDue() },
      ...jobsOf(core, collectors, keeper),
      { name: 'socket', everyMs: SOCKET_MS, run: () => void apiServer.keepOpen() },
      { name: 'deliveries', everyMs: DELIVERIES_MS, run: () => void apiServer.deliver() },
      { name: 'ACP members', everyMs: ACP_BEAT_MS, run: () => void acp.beat() },
      { name: 'options', everyMs: OPTIONS_MS, run: () => void published.changed() },
      { name: 'branches', everyMs: BRANCHES_MS, run: () => void apiServer.readBranches() },
    ],
    onWake: (sleptMs) => {
      noteSleep(core, sleptMs);
      notifier.step();
    },
    onFault: (name, fault) => core.fault(fault, name),
  });
  const shutdown = new Shutdown({
    log: core.log,
    quarantine: core.quarantine,
    onReload: () => core.reload(),
    endOnHangUp: process.stderr.isTTY === true,
    steps: [
      { name: 'API server', run: () => apiServer[Symbol.asyncDispose]() },
      { name: 'ACP members', run: () => acp[Symbol.asyncDispose]() },
      { name: 'notifications', run: () => notifications[Symbol.asyncDispose]() },
      { name: 'teams', run: () => teams[Symbol.dispose]() },
      { name: 'upkeep', run: () => upkeep[Symbol.dispose]() },
      { name: 'damage check', run: () => damage[Symbol.dispose]() },
      { name: 'status line', run: () => statusLine[Symbol.asyncDispose]() },
      { name: 'options', run: () => published[Symbol.asyncDispose]() },
      { name: 'HUD', run: () => hud[Symbol.asyncDispose]() },
      { name: 'sources', run: () => collectors[Symbol.asyncDispose]() },
      { name: 'store', run: () => core[Symbol.dispose]() },
      { name: 'lock', run: () => paths.lock[Symbol.dispose]() },
    ],
  });
  shutdown.install();
  core.begin();
  acp.begin();
  collectors.start();
  statusLine.start();
  await firstReading({
    isListed: () => collectors.isListed(),
    isRead: () => collectors.isRead(),
  });
  notifications.begin();
  await apiServer.open();
  upkeep.start();
  hud.start();
  void upgradeLocalEmitter((problem) => core.log.warn({ problem }, 'the emitter is an old one'));
  core.log.info({ socket: paths.socketPath }, 'the daemon has started');
}

function noteSleep(core: DaemonCore, sleptMs: number): void {
  core.log.info({ sleptMs }, 'the machine slept');
  // First, so that every reader of the clock gets the new time.
  core.nowMs.catchUp();
  const fact = { type: 'host.woke', atMs: core.nowMs() } as const;
  core.loop.submit([{ kind: 'fact', fact }]);
}

interface OpenTeams {
  readonly teams: TeamRegistry;
  readonly port: TeamsPort;
  readonly keeper: BundleKeeper;
}

function openTeams(core: DaemonCore, collectors: Collectors): OpenTeams {
  const teams = new TeamRegistry(core);
  const restartsOf: TeamsPort['restartsOf'] = (...member) => keeper.countOf(...member);
  const port = teamsPortOf(core, collectors, { teams, restartsOf });
  const keeper: BundleKeeper = new BundleKeeper({
    nowMs: core.nowMs,
    teams: port,
    linkAt: (address) => collectors.watchers.linkAt(address),
    commandTimeoutMs: () => core.config.tmux.commandTimeoutMs,
    log: (fields, message) => core.log.info(fields, message),
  });
  return { teams, port, keeper };
}

function teamsPortOf(
  core: DaemonCore,
  collectors: Collectors,
  parts: { readonly teams: TeamRegistry } & Pick<TeamsPort, 'restartsOf'>,
): TeamsPort {
  const { teams, restartsOf } = parts;
  const { stateDir, configDir } = core.place.paths;
  return teamsPort({
    nowMs: core.nowMs,
    state: () => teams.state,
    fresh: () => {
      // What a plan is made of is in force from then on.
      teams.reload();
      return loadTeam(configDir);
    },
    world: () => core.shownWorld(),
    table: core.store.bundles,
    installId: () => installId(stateDir),
    tmuxOf: (target) => collectors.tmuxOf(target),
    watchServer: (server, isWatched) => collectors.watchServer(server, isWatched),
    restartsOf,
  });
}

function statusLineOf(core: DaemonCore, collectors: Collectors): StatusLine {
  return new StatusLine({
    servers: () => collectors.watchers.linksOf(LOCAL),
    counts: () => {
      if (core.storeHealth.failure !== null) return null;
      const { byState, needs } = summarize(core.engine.world.panes.values());
      return shownCounts(byState, needs);
    },
    nowMs: () => Date.now(),
  });
}

function hudOf(core: DaemonCore, collectors: Collectors, content: () => HudContent): Hud {
  const { stateDir } = core.place.paths;
  return new Hud({
    servers: () => collectors.watchers.linksOf(LOCAL),
    config: () => core.config.hud,
    switch: new HudSwitch(stateDir),
    folder: stateDir,
    frame: (size) => {
      const view = { color: true, unicode: true, nowMs: core.nowMs() };
      return hudFrame(hudLines(view, content(), size));
    },
    onProblem: (problem) => core.log.warn({ problem }, 'the HUD cannot be shown'),
  });
}

function socketPathsOf(core: DaemonCore, { tmuxSockets }: DaemonOptions): readonly string[] {
  return tmuxSocketPaths({
    named: tmuxSockets,
    env: process.env,
    uid: process.getuid?.() ?? 0,
    configured: core.config.tmux.sockets,
  });
}

function openNotifications(core: DaemonCore, collectors: Collectors): Notifications {
  const { watchers } = collectors;
  const parts = {
    config: () => core.config.notify,
    links: () => watchers.linksOf(LOCAL),
    program: [process.execPath, process.argv[1] ?? ''],
    socketPath: core.place.socketPath,
    onProblem: (problem: string) => core.log.warn({ problem }, 'a pane could not be shown'),
  };
  return new Notifications({
    core,
    shownPanes: () => watchers.shownPanes(),
    onClick: (notification) => void showPane(notification, parts),
  });
}

/** The periodic jobs. */
function jobsOf(
  core: DaemonCore,
  collectors: Collectors,
  keeper: BundleKeeper,
): readonly UpkeepJob[] {
  const { engine, store, alerts, health, nowMs } = core;
  return [
    { name: 'beat', everyMs: 1_000, run: () => void collectors.beat() },
    { name: 'bundles', everyMs: BUNDLES_MS, run: () => void keeper.tick() },
    { name: 'store', everyMs: STORE_MS, run: () => void core.checkStore() },
    { name: 'alerts', everyMs: 10_000, run: () => void alerts.tick() },
    {
      name: 'health',
      everyMs: 10_000,
      run: () => {
        const figures = health.measure(nowMs(), cpuUsedMs());
        for (const signal of budgetSignals(figures, core.config.budgets)) core.signal(signal);
        return undefined;
      },
    },
    ...storeJobs({ store, engine, nowMs, retention: () => core.config.retention }),
  ];
}
