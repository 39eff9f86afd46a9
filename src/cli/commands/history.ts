// `agtmux history [REF]`: the states that a pane, or every pane, went through.

import { renderHistory } from '../../render/ledger.ts';
import { type Call, numberOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { printAnswer } from '../print.ts';
import { momentOf } from '../value.ts';

const LIMIT = 50;

export async function runHistory(call: Call): Promise<number> {
  const [ref] = call.args;
  const sinceMs = momentOf(call.flags, 'since', Date.now());
  const told = await withDaemon(call, (client) =>
    client.call('history', {
      ...(ref === undefined ? {} : { ref }),
      ...(sinceMs === null ? {} : { since_ms: Math.max(0, sinceMs) }),
      limit: numberOf(call.flags, 'limit') ?? LIMIT,
    }),
  );
  printAnswer(call, told, (view) => renderHistory(view, told));
  return 0;
}
