// `agtmux daemon install --print`: the file by which systemd or launchd keeps the daemon. It is
// printed and never written: where services stand is the user's own.

import { safeToml } from '../../render/safe-text.ts';
import { type Call, isSet, textOf } from '../command.ts';
import { DAEMON_NODE_FLAGS } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { packageFile } from '../package-files.ts';
import { printJson } from '../print.ts';
import { type ServiceKind, serviceFile, servicePlaces } from '../supervisor-file.ts';

/** What decides where the daemon finds tmux and its own files; the service would not know it. */
const passedOn = [
  'PATH',
  'TMUX_TMPDIR',
  'AGTMUX_TMUX_SOCKET_PATH',
  'AGTMUX_TMUX_SOCKET_NAME',
  'AGTMUX_SPOOL',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
] as const;

export async function runDaemonInstall(call: Call): Promise<number> {
  if (!isSet(call.flags, 'print')) {
    throw new CliProblem('E_INPUT_INVALID', 'agtmux writes no service file itself.', {
      exitCode: EXIT_USAGE,
      hint: 'Say --print, look at it, and put it where its first line says.',
    });
  }
  const kind = kindOf(call);
  const text = serviceFile(kind, { command: commandOf(call), env: envOf(call) });
  const { file, start } = servicePlaces[kind];
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, kind, file, start, text });
  else call.io.writeOut(safeToml(text));
  return 0;
}

function kindOf({ flags }: Call): ServiceKind {
  const asked = textOf(flags, 'kind');
  if (asked === 'systemd' || asked === 'launchd') return asked;
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
    passedOn.flatMap((name) => {
      const value = io.env[name];
      return value ? [[name, value]] : [];
    }),
  );
}
