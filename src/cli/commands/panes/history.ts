// `agtmux history [REF]`: past states of one pane or of every pane.

import { renderHistory } from '../../../render/ledger.ts';
import { type Call, type CommandSpec, numberOf } from '../../command.ts';
import { count, refArgument, sinceOption } from '../../options.ts';
import { printReplyTo } from '../../output/print.ts';
import { momentOf } from '../../value.ts';

const LIMIT = 50;

export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'past states of one pane or of every pane',
  examples: ['agtmux history --since 1h', 'agtmux history work:0.1 --limit 10'],
  args: [{ ...refArgument, optional: true }],
  options: [
    sinceOption('only what happened since then'),
    { name: 'limit', value: count, summary: `at most this many entries (${LIMIT})` },
  ],
  run: runHistory,
};

function runHistory(call: Call): Promise<number> {
  const [ref] = call.args;
  const sinceMs = momentOf(call.flags, 'since', Date.now());
  const input = {
    ...(ref === undefined ? {} : { ref }),
    ...(sinceMs === null ? {} : { since_ms: Math.max(0, sinceMs) }),
    limit: numberOf(call.flags, 'limit') ?? LIMIT,
  };
  return printReplyTo(call, (client) => client.call('history', input), renderHistory);
}
