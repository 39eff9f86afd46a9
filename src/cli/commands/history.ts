// `agtmux history [REF]`: the states that a pane, or every pane, went through.

import { type Call, isSet, numberOf, textOf } from '../command.ts';
import { printJson, withDaemon } from '../daemon-link.ts';
import { renderHistory } from '../render/ledger.ts';
import { readMoment } from '../value.ts';
import { viewOfCall } from '../view-of-call.ts';

const LIMIT = 50;

export async function runHistory(call: Call): Promise<number> {
  const [ref] = call.args;
  const since = textOf(call.flags, 'since');
  const sinceMs = since === undefined ? null : readMoment(since, Date.now());
  const told = await withDaemon(call, (client) =>
    client.call('history', {
      ...(ref === undefined ? {} : { ref }),
      ...(sinceMs === null ? {} : { since_ms: Math.max(0, sinceMs) }),
      limit: numberOf(call.flags, 'limit') ?? LIMIT,
    }),
  );
  if (isSet(call.flags, 'json')) printJson(call, told);
  else call.io.writeOut(renderHistory(viewOfCall(call, Date.parse(told.generated_at)), told));
  return 0;
}
