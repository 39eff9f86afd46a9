// `agtmux explain REF`: every claim about one pane, and which one decides its state.

import { renderExplanation } from '../../../render/ledger.ts';
import { type Call, type CommandSpec, numberOf } from '../../command.ts';
import { count, refArgument } from '../../options.ts';
import { printReplyTo } from '../../output/print.ts';

const EVENTS = 20;

export const explainCommand: CommandSpec = {
  name: 'explain',
  summary: 'why a pane is in its state: every source, its claim, which one wins and why',
  examples: ['agtmux explain work:0.1', 'agtmux explain claude', 'agtmux explain %3 --events 50'],
  args: [refArgument],
  options: [
    { name: 'events', value: count, summary: `how many stored events are shown (${EVENTS})` },
  ],
  run: runExplain,
};

function runExplain(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const events = numberOf(call.flags, 'events') ?? EVENTS;
  return printReplyTo(call, (client) => client.call('explain', { ref, events }), renderExplanation);
}
