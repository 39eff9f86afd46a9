// Reads what `agtmux doctor` looks at. Starts `tmux -V`, and one tmux client for each server where
// no daemon answers; changes nothing, and every wait has a deadline.

import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfigFile } from '../config/config-file.ts';
import { localEdits } from '../hooks/local-edits.ts';
import { runHooksJob } from '../hooks/machine.ts';
import type { Paths } from '../platform/files/paths.ts';
import { tmuxSocketPaths } from '../platform/files/tmux-sockets.ts';
import { runChild } from '../platform/process/launch.ts';
import { costOf } from '../platform/process/process-cost.ts';
import { LocalProcesses } from '../platform/process/processes.ts';
import type { DaemonReport, WatchCost } from '../schema/api/doctor.ts';
import { defaultConfig } from '../schema/config.ts';
import { isEventName } from '../sources/spool/spool-file.ts';
import { lastSnapshotAtMs, storeBytes } from '../store/readers/read-facts.ts';
import { runByProcess } from '../tmux/plain/process-run.ts';
import { readSessions, sessionsCommand } from '../tmux/sessions.ts';
import { probeSocket } from '../tmux/socket-probe.ts';
import type { DaemonFacts, FileFact, MachineFacts, ServerFact } from './facts.ts';

const DEADLINE_MS = 3_000;

export interface GatherOptions {
  readonly paths: Paths;
  readonly socketPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly emitter: string;
  /** Whether tmux servers are read here, because no daemon reports them. */
  readonly asksServers: boolean;
}

export async function gatherMachine(options: GatherOptions): Promise<MachineFacts> {
  const { paths, env, socketPath } = options;
  const loaded = loadConfigFile(paths.configFile);
  const config = loaded.ok ? loaded.config : defaultConfig;
  const problems = loaded.ok
    ? loaded.warnings
    : loaded.problems.map(({ line, key, message }) => `line ${line}, ${key}: ${message}`);
  const uid = process.getuid?.() ?? 0;
  const sockets = tmuxSocketPaths({ named: [], env, uid, configured: config.tmux.sockets });
  const spool = env['AGTMUX_SPOOL'] || join(paths.stateDir, 'spool');
  return {
    nodeVersion: process.versions.node,
    tmuxVersion: await tmuxVersion(),
    servers: options.asksServers ? await Promise.all(sockets.map(serverAt)) : [],
    socketFolder: fileAt(dirname(socketPath)),
    socket: fileAt(socketPath),
    stateFolder: stateFolderAt(paths.stateDir),
    spool: {
      ...fileAt(spool),
      waiting: namesIn(spool).filter(isEventName).length,
      refused: namesIn(join(spool, 'refused')).length,
    },
    config: {
      path: paths.configFile,
      exists: fileAt(paths.configFile).exists,
      problems,
      openPaths: [paths.configDir, paths.configFile].filter((path) => isOpen(path, 0o002)),
      tap: config.tmux.tap,
      attach: config.tmux.attach,
      cpuPercentMax: config.budgets.cpuPercent,
    },
    database: { path: paths.databaseFile, bytes: storeBytes(paths.databaseFile) },
    freeBytes: freeBytes(paths.stateDir),
    emitter: { path: options.emitter, isRunnable: isRunnable(options.emitter) },
    hooks: await hooksHere(options.emitter, env),
  };
}

/** The agents of this machine and their hooks. `hooks status` shows what cannot be read. */
async function hooksHere(
  emitter: string,
  env: GatherOptions['env'],
): Promise<MachineFacts['hooks']> {
  const machine = { files: localEdits, home: homedir(), env };
  const job = { action: 'status', project: homedir(), nowMs: 0 } as const;
  try {
    const emitterText = readFileSync(emitter, 'utf8');
    const { agents } = await runHooksJob(machine, { ...job, emitterText }, 'local');
    return agents.map(({ agent, state, trust }) => ({
      agent,
      state: trust === 'untrusted' ? 'not trusted' : state,
    }));
  } catch {
    return [];
  }
}

async function tmuxVersion(): Promise<string | null> {
  const limits = { timeoutMs: DEADLINE_MS, stdoutBytesMax: 1_000 };
  const { stdout, code } = await runChild({ command: 'tmux', args: ['-V'], ...limits });
  return code === 0 ? stdout.trim().replace(/^tmux /, '') : null;
}

async function serverAt(socketPath: string): Promise<ServerFact> {
  const absent = { socketPath, listens: false, sessions: 0, endsWhenLeft: false };
  try {
    const probe = await probeSocket(socketPath, AbortSignal.timeout(DEADLINE_MS));
    if (!probe.listens) return { ...absent, detail: probe.why };
    const limits = { deadlineMs: DEADLINE_MS };
    const [reply] = await runByProcess({ socketPath }, [sessionsCommand()], limits);
    const sessions = readSessions(reply);
    const endsWhenLeft = sessions.length > 0 && sessions.every((each) => each.destroyUnattached);
    return { socketPath, listens: true, detail: '', sessions: sessions.length, endsWhenLeft };
  } catch (error) {
    return { ...absent, detail: error instanceof Error ? error.message : String(error) };
  }
}

function fileAt(path: string): FileFact {
  try {
    const { mode, uid } = lstatSync(path);
    const isOurs = uid === (process.getuid?.() ?? uid);
    return { path, exists: true, mode: mode & 0o777, isOurs };
  } catch {
    return { path, exists: false, mode: 0, isOurs: true };
  }
}

/** Whether others have one of these rights. A link has none of its own. */
function isOpen(path: string, rights: number): boolean {
  try {
    const stat = lstatSync(path);
    return !stat.isSymbolicLink() && (stat.mode & rights) !== 0;
  } catch {
    return false;
  }
}

function stateFolderAt(path: string): MachineFacts['stateFolder'] {
  const names = namesIn(path).filter((name) => isOpen(join(path, name), 0o077));
  return { ...fileAt(path), openFiles: names, problem: writeProblem(path) };
}

/** Of the folder, or of the one above it in which it would be made. Writes nothing. */
function writeProblem(folder: string): string | null {
  if (!existsSync(folder) && dirname(folder) !== folder) return writeProblem(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    return isReadOnly ? 'its disk is read-only' : (error as Error).message;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** On the disk of the folder, or of the nearest one above it that is there. */
function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return dirname(folder) === folder ? null : freeBytes(dirname(folder));
  }
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The daemon's report, with what only this machine knows of it. */
export function gatherDaemon(
  { metrics, ...report }: DaemonReport,
  stateDir: string,
  nowMs: number,
): DaemonFacts {
  return {
    ...report,
    lastSnapshotAtMs: snapshotOf(report.info.database),
    cost: costOfDaemon(report.info.pid, metrics, stateDir, nowMs),
  };
}

/** The daemon has an alert of its own for a store that cannot be read. */
function snapshotOf(database: string): number | null {
  try {
    return lastSnapshotAtMs(database);
  } catch {
    return null;
  }
}

function costOfDaemon(pid: number, metrics: string, stateDir: string, nowMs: number): WatchCost {
  const [own, ...others] = new LocalProcesses(stateDir).tree(pid) ?? [];
  const clients =
    own === undefined ? null : others.map((each) => ({ ...each, ...costOf(each.pid) }));
  const sum = (pick: (each: NonNullable<typeof clients>[number]) => number): number | null =>
    clients?.reduce((total, each) => total + pick(each), 0) ?? null;
  return {
    daemonCpuPercent: gaugeOf(metrics, 'agtmux_cpu_percent'),
    daemonBytes: gaugeOf(metrics, 'agtmux_resident_bytes'),
    clients: clients?.length ?? null,
    clientsCpuPercent: sum(
      ({ cpuMs = 0, startedAtMs }) => (100 * cpuMs) / Math.max(1_000, nowMs - startedAtMs),
    ),
    clientsBytes: sum(({ residentBytes = 0 }) => residentBytes),
    processesStarted: gaugeOf(metrics, 'agtmux_processes_started'),
    eventsPerMinute: gaugeOf(metrics, 'agtmux_events_per_minute'),
  };
}

/** The value of a gauge without labels in the text of Prometheus; null where it is absent. */
function gaugeOf(text: string, name: string): number | null {
  const found = new RegExp(`^${name} ([0-9.e+-]+)$`, 'm').exec(text)?.[1];
  const value = found === undefined ? Number.NaN : Number(found);
  return Number.isFinite(value) ? value : null;
}
