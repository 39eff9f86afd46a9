// `agtmux daemon install --print`: the service file for systemd or launchd. It is printed and never
// written: services belong to the user. A subcommand of daemon.ts.

import { packageFile } from '../../../platform/package-files.ts';
import { safeToml } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { DAEMON_NODE_FLAGS } from '../../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../../exit-codes.ts';
import { choice } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { type ServiceKind, serviceFile, serviceManagers } from './supervisor-file.ts';

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

export const daemonInstallCommand: CommandSpec = {
  name: 'install',
  summary: 'print a service file for systemd or launchd',
  examples: ['agtmux daemon install --print --kind systemd'],
  options: [
    { name: 'print', summary: 'print the file; agtmux does not install it' },
    {
      name: 'kind',
      value: choice('KIND', ['systemd', 'launchd']),
      summary: 'which service manager (launchd on macOS, else systemd)',
    },
  ],
  run: runDaemonInstall,
};

async function runDaemonInstall(call: Call): Promise<number> {
  if (!isSet(call.flags, 'print')) {
    throw new CliProblem('E_INPUT_INVALID', 'agtmux writes no service file itself.', {
      exitCode: EXIT_USAGE,
      hint: 'Use --print, read the file, and save it where its first line says.',
    });
  }
  const kind = kindOf(call);
  const text = serviceFile(kind, { command: commandOf(call), env: envOf(call) });
  const { file, start } = serviceManagers[kind];
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, kind, file, start, text });
  else call.io.writeOut(safeToml(text));
  return 0;
}

function kindOf({ flags }: Call): ServiceKind {
  const kind = textOf(flags, 'kind');
  if (kind === 'systemd' || kind === 'launchd') return kind;
  return process.platform === 'darwin' ? 'launchd' : 'systemd';
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
  return Object.fromEntries(
    inheritedVariables.flatMap((name) => {
      const value = io.env[name];
      return value ? [[name, value]] : [];
    }),
  );
}
