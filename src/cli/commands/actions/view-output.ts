// `agtmux view-output REF`: the last lines of a pane, its history included.

import { safeText } from '../../../render/safe-text.ts';
import { stripSequences } from '../../../text/ansi.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { count, refArgument } from '../../options.ts';
import { printJson } from '../../output/print.ts';

const LINES = 50;
const LINES_MAX = 5_000;
const TIMEOUT_MS = 15_000;

export const viewOutputCommand: CommandSpec = {
  name: 'view-output',
  summary: 'the last lines of a pane',
  examples: ['agtmux view-output %3', 'agtmux view-output %3 --lines 200 --ansi'],
  args: [refArgument],
  options: [
    { name: 'lines', value: count, summary: `so many lines (${LINES}; at most ${LINES_MAX})` },
    { name: 'ansi', summary: 'keep colours; every other escape sequence is removed' },
  ],
  run: runViewOutput,
};

async function runViewOutput(call: Call): Promise<number> {
  const lines = Math.min(Math.max(1, numberOf(call.flags, 'lines') ?? LINES), LINES_MAX);
  const input = { ref: call.args[0] ?? '', lines };
  const reply = await withDaemon(call, (client) =>
    client.call('preview', input, { timeoutMs: TIMEOUT_MS }),
  );
  if (isSet(call.flags, 'json')) {
    printJson(call, reply);
    return 0;
  }
  // The daemon leaves colours alone, and no control.
  const plain = (line: string): string => safeText(stripSequences(line));
  const shown = isSet(call.flags, 'ansi') ? reply.lines : reply.lines.map(plain);
  const end = isSet(call.flags, 'ansi') ? '\u001b[0m' : '';
  call.io.writeOut(`${shown.join('\n')}${end}\n`);
  return 0;
}
