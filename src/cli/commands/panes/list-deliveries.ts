// The listing of queued prompts, for `list deliveries` and `deliveries`.

import { renderDeliveries } from '../../../render/acting/deliveries.ts';
import { type Call, isSet } from '../../command.ts';
import { printReplyTo } from '../../output/print.ts';

export function listDeliveries(call: Call): Promise<number> {
  const include_settled = isSet(call.flags, 'all');
  return printReplyTo(
    call,
    (client) => client.call('list_deliveries', { include_settled }),
    (view, { deliveries }) => renderDeliveries(view, deliveries),
  );
}
