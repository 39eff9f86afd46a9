// `agtmux uninstall`: stops the daemon and removes its service, the hooks of agents and the files
// of agtmux on this machine. Prints what it removed and what it leaves to the user: the package
// itself, tmux.conf, hooks of projects.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { safeText } from '../../../render/safe-text.ts';
import type { HooksAnswer } from '../../../schema/api/hooks.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { pathsOf } from '../../daemon-link.ts';
import { CliProblem, EXIT_DEGRADED, exitCodeOf } from '../../exit-codes.ts';
import { printJson } from '../../output/print.ts';
import { managerOf, removeService, serviceFileState } from '../../supervisor/installed-file.ts';
import type { ServiceManager } from '../../supervisor/supervisor-commands.ts';
import {
  EMITTER_FOLDER,
  foldersToRemove,
  type RemovableFolder,
  type Removal,
  removeFolder,
} from './folders-to-remove.ts';
import { editLocalHooks } from './hooks.ts';
import { stopDaemon } from './stop-daemon.ts';

/** The JSON-RPC code of E_DAEMON_RUNNING in schema/problem.ts, which is not loaded here. */
const RPC_CONFLICT = -32_002;

export const uninstallCommand: CommandSpec = {
  name: 'uninstall',
  summary: 'stop the daemon and remove the files of agtmux from this machine',
  notes: [
    'Asks first; without a terminal it refuses unless --yes is given.',
    'Exit codes: 0 done, 1 something could not be removed.',
  ],
  examples: ['agtmux uninstall --dry-run', 'agtmux uninstall --yes --config'],
  options: [
    { name: 'yes', short: 'y', summary: 'do not ask for confirmation' },
    { name: 'dry-run', summary: 'print what would be removed, and remove nothing' },
    { name: 'config', summary: 'remove the configuration too' },
  ],
  run: runUninstall,
};

async function runUninstall(call: Call): Promise<number> {
  const isDryRun = isSet(call.flags, 'dry-run');
  const folders = foldersOf(call);
  if (!isDryRun && !(await confirm(call, question(folders)))) {
    call.io.writeOut('Nothing was removed.\n');
    return 0;
  }
  const services = managersOf(call).filter((manager) => serviceFileState(manager) === 'ours');
  // First of all: a service manager would start the daemon again. One that does not stop it ends
  // this, and nothing is removed.
  if (!isDryRun) for (const manager of services) await removeService(call, manager);
  const pid = isDryRun ? null : await stopDaemon(call);
  if (!isDryRun) await refuseIfHeld(call);
  // Before the folders: one of them gets copies of the files that are changed here.
  const hooks = hooksOf(await editLocalHooks(call, { action: isDryRun ? 'status' : 'uninstall' }));
  const removals = folders.map((folder) =>
    hooks.left.length > 0 && folder.what === EMITTER_FOLDER
      ? { ...folder, outcome: 'left' as const, why: 'the remaining hooks run it' }
      : removeFolder(folder, { isDryRun }),
  );
  const files = services.map(({ file }) => file);
  printUninstall(call, { isDryRun, pid, removals, hooks, services: files });
  return removals.some(({ outcome }) => outcome === 'left') ? EXIT_DEGRADED : 0;
}

/** Agents whose hooks are (or would be) removed, and hook files that could not be changed. */
interface Hooks {
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

function hooksOf({ agents }: HooksAnswer): Hooks {
  const isOurs = (file: HooksAnswer['agents'][number]['files'][number]): boolean =>
    file.change !== 'none' || file.state === 'installed' || file.state === 'outdated';
  return {
    removed: agents.filter(({ files }) => files.some(isOurs)).map(({ agent }) => agent),
    left: agents.flatMap(({ files }) =>
      files
        .filter(({ state }) => state === 'unreadable')
        .map(({ path, problem }) => `${path}: ${problem}`),
    ),
  };
}

function foldersOf(call: Call): readonly RemovableFolder[] {
  const paths = pathsOf(call);
  const config = { path: paths.configDir, what: 'configuration and rules of your own' };
  return [...foldersToRemove(paths, call.io.env), ...(isSet(call.flags, 'config') ? [config] : [])];
}

function question(folders: readonly RemovableFolder[]): string {
  const there = folders.filter(({ path }) => existsSync(path));
  const lines = there.map(({ path, what }) => `  ${safeText(path)} (${what})`);
  return [
    'This stops the daemon and removes the hooks of agents, and:',
    ...lines,
    'Continue?',
  ].join('\n');
}

/** Refuses while a daemon with another socket still writes to these folders. */
async function refuseIfHeld(call: Call): Promise<void> {
  const { readHolder } = await import('../../../daemon/life/instance-lock.ts');
  const holder = readHolder(join(pathsOf(call).stateDir, 'agtmuxd.lock'));
  if (holder === null) return;
  throw new CliProblem('E_DAEMON_RUNNING', `another daemon runs (pid ${holder.pid}).`, {
    exitCode: exitCodeOf(RPC_CONFLICT),
    hint: `Stop it with agtmux daemon stop -s ${holder.socket}, then try again.`,
  });
}

interface UninstallReport {
  readonly isDryRun: boolean;
  readonly pid: number | null;
  readonly removals: readonly Removal[];
  readonly hooks: Hooks;
  /** Service files that are (or would be) removed. */
  readonly services: readonly string[];
}

const words: Readonly<Record<Removal['outcome'], string>> = {
  removed: 'removed',
  would_remove: 'would be removed',
  absent: 'did not exist',
  left: 'was not removed',
};

function printUninstall(call: Call, report: UninstallReport): void {
  const { isDryRun, pid, removals, hooks, services } = report;
  const leaves = leavesOf(call);
  if (isSet(call.flags, 'json')) {
    const ended = { schema_version: 1, dry_run: isDryRun, ended_pid: pid };
    printJson(call, { ...ended, hooks, services, folders: removals, leaves });
    return;
  }
  const lines = [
    ...(isDryRun
      ? []
      : [pid === null ? 'No daemon was running.' : `Stopped the daemon (pid ${pid}).`]),
    ...services.map((file) => `${safeText(file)} (service) ${done(isDryRun)}`),
    ...hookLines(hooks, isDryRun),
    ...removals.map(({ path, what, outcome, why }) => {
      const reason = why === null ? '' : `: ${safeText(why)}`;
      return `${safeText(path)} (${what}) ${words[outcome]}${reason}`;
    }),
    '',
    'Left for you:',
    ...leaves.map((each) => `  ${safeText(each)}`),
  ];
  call.io.writeOut(`${lines.join('\n')}\n`);
}

const done = (isDryRun: boolean): string => (isDryRun ? words.would_remove : words.removed);

function hookLines({ removed, left }: Hooks, isDryRun: boolean): readonly string[] {
  return [
    ...(removed.length === 0 ? [] : [`hooks of ${removed.join(', ')} ${done(isDryRun)}`]),
    ...left.map((each) => `hooks not removed: ${safeText(each)}`),
  ];
}

const managersOf = (call: Call): readonly ServiceManager[] =>
  (['systemd', 'launchd'] as const).map((kind) => managerOf(call, kind));

function leavesOf(call: Call): readonly string[] {
  const { configDir } = pathsOf(call);
  const spool = call.io.env['AGTMUX_SPOOL'];
  const isConfigLeft = !isSet(call.flags, 'config') && existsSync(configDir);
  return [
    ...(isConfigLeft ? [`${configDir}: your configuration; remove it with --config`] : []),
    ...(spool ? [`${spool}: the spool, which AGTMUX_SPOOL put there`] : []),
    ...managersOf(call)
      .filter((manager) => serviceFileState(manager) === 'foreign')
      .map(({ file }) => `${file}: a service that agtmux did not write`),
    'hooks of single projects: agtmux hooks uninstall --scope project, in each of them',
    'our MCP server in agents: agtmux mcp uninstall, before the package is removed',
    'agtmux lines in your tmux.conf, and the option @agtmux_status in running tmux servers',
    'the package itself: npm uninstall --global agtmux',
  ];
}
