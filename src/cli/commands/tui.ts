// `agtmux tui`, and `agtmux` alone on a terminal: the live view. The view itself is tui/. It is
// loaded with the other commands that are not quick: a file of its own would split what they share.

import { runTui } from '../../tui/run.ts';
import { type Call, isSet } from '../command.ts';
import { openDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_USAGE } from '../exit-codes.ts';
import { viewOfCall } from '../view-of-call.ts';
import { runList } from './list.ts';

export async function runTuiCommand(call: Call): Promise<number> {
  if (!canShow(call)) {
    // Called bare, where nobody can type or nothing can be drawn: the table says as much.
    if (call.path[0] !== 'tui') return runList(call);
    throw new CliProblem('E_INPUT_INVALID', 'the view needs a terminal to read keys and to draw', {
      exitCode: EXIT_USAGE,
      hint: 'Use agtmux list panes, or agtmux watch.',
    });
  }
  const client = await openDaemon(call);
  const { color, unicode } = viewOfCall(call, 0);
  return runTui({
    client,
    openDaemon: () => openDaemon(call),
    env: call.io.env,
    look: { color, unicode },
    mouse: isSet(call.flags, 'mouse'),
    input: process.stdin,
    output: process.stdout,
  });
}

/** Whether somebody can type and see. */
export const canShow = ({ io }: Call): boolean =>
  io.isTerminal && process.stdin.isTTY === true && io.env['TERM'] !== 'dumb';
