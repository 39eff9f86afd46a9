// `agtmux tui`, and `agtmux` alone on a terminal: the live view, which is src/tui/.

import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { daemonReviver, openDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../../exit-codes.ts';
import { unwatchedServerNote } from './unwatched-server.ts';

export const tuiCommand: CommandSpec = {
  name: 'tui',
  summary: 'the live view; also agtmux alone on a terminal',
  examples: ['agtmux tui --mouse'],
  options: [{ name: 'mouse', summary: 'select with the mouse too' }],
  run: runTuiCommand,
};

export async function runTuiCommand(call: Call): Promise<number> {
  if (!canShowTui(call)) {
    throw new CliProblem('E_INPUT_INVALID', 'the live view needs a terminal.', {
      exitCode: EXIT_USAGE,
      hint: 'Use agtmux list panes, or agtmux watch.',
    });
  }
  const { runTui } = await import('../../../tui/run.ts');
  const client = await openDaemon(call);
  const notice = await unwatchedServerNote(call, client);
  const { color, unicode } = callView(call, 0);
  return runTui({
    client,
    openDaemon: () => openDaemon(call),
    revive: daemonReviver(call),
    env: call.io.env,
    look: { color, unicode },
    mouse: isSet(call.flags, 'mouse'),
    notice,
    input: process.stdin,
    output: process.stdout,
  });
}

/** Whether there are a keyboard and a screen. */
export const canShowTui = ({ io }: Call): boolean =>
  io.isTerminal && process.stdin.isTTY === true && io.env['TERM'] !== 'dumb';
