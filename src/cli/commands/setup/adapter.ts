// `agtmux adapter list|enable|disable`: the agents that agtmux supports, and which it watches.

import { renderAdapters } from '../../../render/health.ts';
import type { ArgumentSpec, Call, CommandSpec } from '../../command.ts';
import { text } from '../../options.ts';
import { printReplyTo } from '../../output/print.ts';

const agentArgument: ArgumentSpec = {
  value: text('NAME', 'agents'),
  summary: 'an agent, such as claude',
};

export const adapterCommand: CommandSpec = {
  name: 'adapter',
  summary: 'the agents that agtmux supports, and which it watches',
  commands: [
    {
      name: 'list',
      summary: 'list every supported agent',
      examples: ['agtmux adapter list'],
      run: (call) =>
        printReplyTo(call, (client) => client.call('list_adapters', {}), renderAdapters),
    },
    {
      name: 'enable',
      summary: 'watch an agent',
      examples: ['agtmux adapter enable codex'],
      args: [agentArgument],
      run: (call) => setEnabled(call, true),
    },
    {
      name: 'disable',
      summary: 'ignore all evidence about an agent',
      examples: ['agtmux adapter disable codex'],
      args: [agentArgument],
      run: (call) => setEnabled(call, false),
    },
  ],
};

function setEnabled(call: Call, enabled: boolean): Promise<number> {
  const agent = call.args[0] ?? '';
  return printReplyTo(
    call,
    (client) => client.call('set_adapter_enabled', { agent, enabled }),
    renderAdapters,
  );
}
