// `agtmux daemon start|stop|status|run|install|uninstall|reset`. The daemon itself is src/daemon/,
// which loads only for `run`.

import type { DaemonClient } from '../../../client/client.ts';
import { renderDaemon } from '../../../render/health.ts';
import { callView } from '../../call-view.ts';
import {
  type Call,
  type CommandSpec,
  isSet,
  listOf,
  numberOf,
  type OptionSpec,
  textOf,
} from '../../command.ts';
import {
  DAEMON_NODE_ENV,
  findDaemon,
  openDaemon,
  pathsOf,
  socketPathOf,
} from '../../daemon-link.ts';
import { choice, text } from '../../options.ts';
import { printed, printJson, printNoDaemon } from '../../output/print.ts';
import { daemonInstallCommand, daemonUninstallCommand } from './daemon-install.ts';
import { daemonResetCommand } from './daemon-reset.ts';
import { stopDaemon } from './stop-daemon.ts';

const daemonOptions: readonly OptionSpec[] = [
  {
    name: 'tmux-socket',
    value: text('PATH'),
    repeated: true,
    summary: 'watch this tmux server; may be given more than once',
  },
  {
    name: 'poll-interval',
    value: { kind: 'duration', label: 'DURATION' },
    summary: 'how often panes are polled where tmux reports no changes',
  },
  {
    name: 'log-level',
    value: choice('LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    summary: 'how much is logged (also AGTMUX_LOG)',
  },
];

export const daemonCommand: CommandSpec = {
  name: 'daemon',
  summary: 'the background process that watches your agents',
  commands: [
    {
      name: 'start',
      summary: 'start the daemon if it is not running',
      examples: ['agtmux daemon start --log-level debug'],
      options: daemonOptions,
      run: async (call) => printDaemon(call, await openDaemon(call, daemonArgs(call))),
    },
    {
      name: 'stop',
      summary: 'stop the daemon and wait until it has exited',
      notes: [
        'A daemon that does not answer gets SIGTERM, and SIGKILL 6 s later; nothing is lost.',
      ],
      examples: ['agtmux daemon stop'],
      run: runStop,
    },
    {
      name: 'status',
      summary: 'print whether the daemon is running',
      notes: ['Exit codes: 0 running, 3 not running.'],
      examples: ['agtmux daemon status'],
      run: runDaemonStatus,
    },
    {
      name: 'run',
      summary: 'run the daemon in the foreground',
      examples: ['agtmux daemon run --tmux-socket /tmp/tmux-1000/default'],
      options: daemonOptions,
      run: runInForeground,
    },
    daemonInstallCommand,
    daemonUninstallCommand,
    daemonResetCommand,
  ],
};

async function runDaemonStatus(call: Call): Promise<number> {
  const client = await findDaemon(call);
  return client === null ? printNoDaemon(call) : printDaemon(call, client);
}

async function printDaemon(call: Call, client: DaemonClient): Promise<number> {
  try {
    const info = await client.call('daemon_info', {});
    if (isSet(call.flags, 'json')) printJson(call, { running: true, ...info });
    else call.io.writeOut(renderDaemon(callView(call, Date.now()), info));
    return 0;
  } finally {
    client.close();
  }
}

async function runInForeground(call: Call): Promise<number> {
  const socketPath = socketPathOf(call);
  if (socketPath !== pathsOf(call).socketFile) {
    (await import('../../state-folder.ts')).checkSocketFolder(socketPath);
  }
  // The middle one of V8's compilers: 3 MB of its own code and data for work that is rarely hot.
  // Set here, because a Node that does not know the flag would refuse it as an argument.
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--no-maglev');
  const { runDaemon } = await import('../../../daemon/main.ts');
  // They were for the start of this process, and are not for the programs that it starts.
  for (const name of Object.keys(DAEMON_NODE_ENV)) delete process.env[name];
  const pollIntervalMs = numberOf(call.flags, 'poll-interval');
  const logLevel = textOf(call.flags, 'log-level');
  return runDaemon({
    socketPath,
    tmuxSockets: listOf(call.flags, 'tmux-socket'),
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
    ...(logLevel === undefined ? {} : { logLevel }),
  });
}

/** The options of `daemon start`, as `daemon run` takes them. */
function daemonArgs({ flags }: Call): readonly string[] {
  const pollIntervalMs = numberOf(flags, 'poll-interval');
  const logLevel = textOf(flags, 'log-level');
  return [
    ...listOf(flags, 'tmux-socket').map((path) => `--tmux-socket=${path}`),
    ...(pollIntervalMs === undefined ? [] : [`--poll-interval=${pollIntervalMs}ms`]),
    ...(logLevel === undefined ? [] : [`--log-level=${logLevel}`]),
  ];
}

async function runStop(call: Call): Promise<number> {
  const pid = await stopDaemon(call);
  const words = pid === null ? 'No daemon was running.\n' : `Stopped (pid ${pid}).\n`;
  return printed(call, { running: false, pid }, words);
}
