// `agtmux explain REF`: the whole ledger of one pane.

import { type Call, isSet, numberOf } from '../command.ts';
import { printJson, withDaemon } from '../daemon-link.ts';
import { renderExplanation } from '../render/ledger.ts';
import { viewOfCall } from '../view-of-call.ts';

const EVENTS = 20;

export async function runExplain(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const events = numberOf(call.flags, 'events') ?? EVENTS;
  const told = await withDaemon(call, (client) => client.call('explain', { ref, events }));
  if (isSet(call.flags, 'json')) printJson(call, told);
  else call.io.writeOut(renderExplanation(viewOfCall(call, Date.parse(told.generated_at)), told));
  return 0;
}
