// `agtmux explain REF`: the whole ledger of one pane.

import { renderExplanation } from '../../render/ledger.ts';
import { type Call, numberOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { printAnswer } from '../print.ts';

const EVENTS = 20;

export async function runExplain(call: Call): Promise<number> {
  const ref = call.args[0] ?? '';
  const events = numberOf(call.flags, 'events') ?? EVENTS;
  const told = await withDaemon(call, (client) => client.call('explain', { ref, events }));
  printAnswer(call, told, (view) => renderExplanation(view, told));
  return 0;
}
