// `agtmux deliveries`: prompts that wait for their moment; `deliveries cancel ID` takes one back.

import { renderDeliveries } from '../../../render/acting/deliveries.ts';
import { callView } from '../../call-view.ts';
import type { ArgumentSpec, Call, CommandSpec } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { text } from '../../options.ts';
import { printed } from '../../output/print.ts';
import { listDeliveries } from '../panes/list-deliveries.ts';

const deliveryArgument: ArgumentSpec = {
  value: text('ID', 'deliveries'),
  summary: 'an id that agtmux deliveries prints',
};

export const deliveriesCommand: CommandSpec = {
  name: 'deliveries',
  summary: 'prompts that wait for their agent, as send --when-idle and --at queue them',
  examples: ['agtmux deliveries', 'agtmux deliveries --all'],
  options: [{ name: 'all', summary: 'include those that do not wait any more' }],
  run: listDeliveries,
  commands: [
    {
      name: 'cancel',
      summary: 'take a queued prompt back',
      notes: ['Exit codes: 0 cancelled, 66 no such prompt, 75 it is being typed or settled.'],
      examples: ['agtmux deliveries cancel 3f9a1c07be52'],
      args: [deliveryArgument],
      run: cancelDelivery,
    },
  ],
};

async function cancelDelivery(call: Call): Promise<number> {
  const delivery_id = call.args[0] ?? '';
  const item = await withDaemon(call, (client) => client.call('cancel_delivery', { delivery_id }));
  return printed(call, item, renderDeliveries(callView(call, Date.now()), [item]));
}
