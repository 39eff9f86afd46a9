// `agtmux adapter list|enable|disable`: which agents are known, and which are watched.

import { type Call, isSet } from '../command.ts';
import { printJson, withDaemon } from '../daemon-link.ts';
import { renderAdapters } from '../render/health.ts';
import { viewOfCall } from '../view-of-call.ts';

export async function runAdapter(call: Call): Promise<number> {
  const action = call.path[1];
  const told = await withDaemon(call, (client) => {
    if (action === 'list') return client.call('list_adapters', {});
    const agent = call.args[0] ?? '';
    return client.call('set_adapter_enabled', { agent, enabled: action === 'enable' });
  });
  if (isSet(call.flags, 'json')) printJson(call, told);
  else call.io.writeOut(renderAdapters(viewOfCall(call, Date.parse(told.generated_at)), told));
  return 0;
}
