// `agtmux history [REF]`: past states of one pane or of every pane, or what was done to them.

import { renderHistory } from '../../../render/ledger.ts';
import { renderActions } from '../../../render/requests.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { count, refArgument, sinceOption } from '../../options.ts';
import { printReplyTo } from '../../output/print.ts';
import { momentOf } from '../../value.ts';

const LIMIT = 50;

export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'past states of one pane or of every pane',
  examples: [
    'agtmux history --since 1h',
    'agtmux history work:0.1 --limit 10',
    'agtmux history --actions',
  ],
  args: [{ ...refArgument, optional: true }],
  options: [
    sinceOption('only what happened since then'),
    { name: 'actions', summary: 'what was typed, answered and stopped, by whom' },
    { name: 'limit', value: count, summary: `at most this many entries (${LIMIT})` },
  ],
  run: runHistory,
};

function runHistory(call: Call): Promise<number> {
  const [ref] = call.args;
  const sinceMs = momentOf(call.flags, 'since', Date.now());
  const place = ref === undefined ? {} : { ref };
  const limit = numberOf(call.flags, 'limit') ?? LIMIT;
  if (isSet(call.flags, 'actions')) {
    const query = { ...place, limit };
    return printReplyTo(call, (client) => client.call('list_actions', query), renderActions);
  }
  const input = {
    ...place,
    ...(sinceMs === null ? {} : { since_ms: Math.max(0, sinceMs) }),
    limit,
  };
  return printReplyTo(call, (client) => client.call('history', input), renderHistory);
}
