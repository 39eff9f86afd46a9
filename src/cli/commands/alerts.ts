// `agtmux alerts`, `alerts ack ID`, `alerts resolve ID`.

import { renderAlerts } from '../../render/health.ts';
import { type Call, isSet } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { printAnswer, printJson } from '../print.ts';
import { viewOfCall } from '../view-of-call.ts';

export async function runAlerts(call: Call): Promise<number> {
  const action = call.path[1];
  const alert_id = call.args[0] ?? '';
  if (action === undefined) return showAlerts(call);
  const operation = action === 'ack' ? 'acknowledge_alert' : 'resolve_alert';
  const alert = await withDaemon(call, (client) => client.call(operation, { alert_id }));
  if (isSet(call.flags, 'json')) printJson(call, alert);
  else call.io.writeOut(renderAlerts(viewOfCall(call, Date.now()), [alert]));
  return 0;
}

async function showAlerts(call: Call): Promise<number> {
  const include_resolved = isSet(call.flags, 'all');
  const told = await withDaemon(call, (client) => client.call('list_alerts', { include_resolved }));
  printAnswer(call, told, (view) => renderAlerts(view, told.alerts));
  return 0;
}
