// `agtmux view-output REF`: the last lines of a pane, its history included; with --follow also
// those that come.

import { safeText } from '../../../render/safe-text.ts';
import { stripSequences } from '../../../text/ansi.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { socketPathOf, withDaemon } from '../../daemon-link.ts';
import { count as countValue, refArgument } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { snapshotGuardsOf, snapshotOptions } from './action-options.ts';

const LINES = 50;
const LINES_MAX = 5_000;
/** As far back as new lines are looked for. */
const LINES_FOLLOWED = 1_000;
const TIMEOUT_MS = 15_000;

export const viewOutputCommand: CommandSpec = {
  name: 'view-output',
  summary: 'the last lines of a pane',
  examples: [
    'agtmux view-output %3',
    'agtmux view-output %3 --lines 200 --ansi',
    'agtmux view-output %3 --follow',
  ],
  notes: [
    'With --follow it goes on until the agent, or a pane without one, has ended. A line is',
    'printed when it has stood still for a second; with --json, each print is one JSON object.',
    'Exit codes: 0 shown, with --follow to its end; 66 no such pane, 75 refused, 130 after Ctrl-C.',
  ],
  args: [refArgument],
  options: [
    { name: 'lines', value: countValue, summary: `so many lines (${LINES}; at most ${LINES_MAX})` },
    { name: 'ansi', summary: 'keep colours; every other escape sequence is removed' },
    { name: 'follow', summary: 'go on with the lines that come' },
    ...snapshotOptions,
  ],
  run: runViewOutput,
};

async function runViewOutput(call: Call): Promise<number> {
  const count = Math.min(Math.max(1, numberOf(call.flags, 'lines') ?? LINES), LINES_MAX);
  const isFollowing = isSet(call.flags, 'follow');
  const lines = isFollowing ? Math.max(count, LINES_FOLLOWED) : count;
  const input = { ref: call.args[0] ?? '', lines, ...snapshotGuardsOf(call) };
  const reply = await withDaemon(call, (client) =>
    client.call('preview', input, { timeoutMs: TIMEOUT_MS }),
  );
  const isJson = isSet(call.flags, 'json');
  if (isJson) printJson(call, { ...reply, lines: reply.lines.slice(-count) });
  else print(call, reply.lines.slice(-count));
  if (!isFollowing) return 0;
  const { followOutput } = await import('../../watch/follow-output.ts');
  const { pane_key } = reply;
  return followOutput({
    socketPath: socketPathOf(call),
    first: reply,
    lineCount: LINES_FOLLOWED,
    print: (fresh) => (isJson ? printJson(call, { pane_key, lines: fresh }) : print(call, fresh)),
    note: (text) => call.io.writeErr(`${text}\n`),
  });
}

function print(call: Call, lines: readonly string[]): void {
  const isColoured = isSet(call.flags, 'ansi');
  // The daemon leaves colours alone, and no control.
  const plain = (line: string): string => safeText(stripSequences(line));
  const shown = isColoured ? lines : lines.map(plain);
  call.io.writeOut(`${shown.join('\n')}${isColoured ? '\u001b[0m' : ''}\n`);
}
