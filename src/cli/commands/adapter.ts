// `agtmux adapter list|enable|disable`: which agents are known, and which are watched.

import { renderAdapters } from '../../render/health.ts';
import type { Call } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { printAnswer } from '../print.ts';

export async function runAdapter(call: Call): Promise<number> {
  const action = call.path[1];
  const told = await withDaemon(call, (client) => {
    if (action === 'list') return client.call('list_adapters', {});
    const agent = call.args[0] ?? '';
    return client.call('set_adapter_enabled', { agent, enabled: action === 'enable' });
  });
  printAnswer(call, told, (view) => renderAdapters(view, told));
  return 0;
}
