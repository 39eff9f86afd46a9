// `agtmux daemon install|uninstall`: the daemon as a service of systemd or launchd, which starts it
// at every login. The file and the commands are in supervisor/. Subcommands of daemon.ts.

import { packageFile } from '../../../platform/package-files.ts';
import { safeText, safeToml } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet, type OptionSpec, textOf } from '../../command.ts';
import { DAEMON_NODE_ENV, DAEMON_NODE_FLAGS, findDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_UNAVAILABLE, usageProblem } from '../../exit-codes.ts';
import { choice } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import {
  managerOf,
  nativeKind,
  removeService,
  startService,
  writeServiceFile,
} from '../../supervisor/installed-file.ts';
import type { ServiceManager } from '../../supervisor/supervisor-commands.ts';
import { type ServiceKind, serviceFile } from '../../supervisor/supervisor-file.ts';
import { stopDaemon } from './stop-daemon.ts';

/** Node starts, the store opens, and every pane is read once before the socket opens. */
const START_TIMEOUT_MS = 20_000;
const START_POLL_MS = 100;

/** Variables by which the daemon finds tmux and its own files; a service does not inherit them. */
const inheritedVariables = [
  'PATH',
  'TMUX_TMPDIR',
  'AGTMUX_TMUX_SOCKET_PATH',
  'AGTMUX_TMUX_SOCKET_NAME',
  'AGTMUX_SPOOL',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
] as const;

const kindOption: OptionSpec = {
  name: 'kind',
  value: choice('KIND', ['systemd', 'launchd']),
  summary: 'which service manager (launchd on macOS, else systemd)',
};

export const daemonInstallCommand: CommandSpec = {
  name: 'install',
  summary: 'start the daemon at every login, by systemd or launchd',
  notes: [
    'Writes one service file for your user and starts it; a daemon that runs is stopped first.',
    'With --print it only prints the file.',
  ],
  examples: ['agtmux daemon install', 'agtmux daemon install --print --kind systemd'],
  options: [
    { name: 'print', summary: 'print the service file, and write and start nothing' },
    kindOption,
  ],
  run: runDaemonInstall,
};

export const daemonUninstallCommand: CommandSpec = {
  name: 'uninstall',
  summary: 'stop the service of daemon install and remove its file',
  examples: ['agtmux daemon uninstall'],
  options: [kindOption],
  run: runDaemonUninstall,
};

async function runDaemonInstall(call: Call): Promise<number> {
  const kind = kindOf(call);
  const manager = managerOf(call, kind);
  const text = serviceFile(kind, { command: commandOf(call), env: envOf(call) });
  const { file, start } = manager;
  const isPrint = isSet(call.flags, 'print');
  if (!isPrint) await install(call, manager, text);
  const pid = isPrint ? null : await waitForDaemon(call);
  if (isSet(call.flags, 'json')) printJson(call, { kind, file, start, text, pid });
  else if (isPrint) call.io.writeOut(safeToml(text));
  else {
    const running = `The daemon runs (pid ${pid}) and starts at every login.`;
    call.io.writeOut(`${[`Wrote ${safeText(file)}.`, running, manager.note].join('\n')}\n`);
  }
  return 0;
}

async function install(call: Call, manager: ServiceManager, text: string): Promise<void> {
  if (manager.kind !== nativeKind()) {
    throw usageProblem(
      `${manager.kind} does not run on this machine.`,
      'Use --print to see the file.',
    );
  }
  writeServiceFile(manager, text);
  // A second daemon of this user would refuse to start.
  await stopDaemon(call);
  await startService(call, manager);
}

/** The pid of the daemon that the service manager has started. */
async function waitForDaemon(call: Call): Promise<number> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = await findDaemon(call).catch(() => null);
    const hello = await client?.call('hello', { client: 'cli' }).catch(() => null);
    client?.close();
    if (hello) return hello.pid;
    if (performance.now() > deadlineMs) {
      throw new CliProblem('E_SERVICE_FAILED', 'the service is started, and no daemon answers.', {
        exitCode: EXIT_UNAVAILABLE,
        hint: 'Look at systemctl --user status agtmux, or run agtmux daemon run to see why.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
  }
}

async function runDaemonUninstall(call: Call): Promise<number> {
  const manager = managerOf(call, kindOf(call));
  const { file } = manager;
  const outcome = await removeService(call, manager);
  const removed = outcome !== 'absent';
  if (isSet(call.flags, 'json')) printJson(call, { kind: manager.kind, file, removed });
  else call.io.writeOut(`${uninstallWords[outcome]} ${safeText(file)}.\n`);
  return 0;
}

const uninstallWords = {
  absent: 'There is no service of agtmux at',
  removed: 'The service was not running; removed',
  stopped: 'Stopped the service and removed',
} as const;

function kindOf({ flags }: Call): ServiceKind {
  const kind = textOf(flags, 'kind');
  if (kind === 'systemd' || kind === 'launchd') return kind;
  return nativeKind();
}

function commandOf({ flags }: Call): readonly string[] {
  const socketPath = textOf(flags, 'socket-path');
  return [
    process.execPath,
    ...DAEMON_NODE_FLAGS,
    packageFile('bin/agtmux.js'),
    ...['daemon', 'run'],
    ...(socketPath === undefined ? [] : ['--socket-path', socketPath]),
  ];
}

function envOf({ io }: Call): Readonly<Record<string, string>> {
  const inherited = inheritedVariables.flatMap((name) => {
    const value = io.env[name];
    return value ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(inherited), ...DAEMON_NODE_ENV };
}
