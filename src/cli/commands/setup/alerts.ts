// `agtmux alerts`, `alerts ack ID`, `alerts resolve ID`.

import { renderAlerts } from '../../../render/health.ts';
import { callView } from '../../call-view.ts';
import { type ArgumentSpec, type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { text } from '../../options.ts';
import { printed, printReplyTo } from '../../output/print.ts';

const alertArgument: ArgumentSpec = {
  value: text('ID', 'alerts'),
  summary: 'an id that agtmux alerts prints',
};

export const alertsCommand: CommandSpec = {
  name: 'alerts',
  summary: 'problems that the daemon reports',
  examples: ['agtmux alerts --all'],
  options: [{ name: 'all', summary: 'include resolved alerts' }],
  run: listAlerts,
  commands: [
    {
      name: 'ack',
      summary: 'acknowledge an alert',
      examples: ['agtmux alerts ack 3f9a1c07be'],
      args: [alertArgument],
      run: (call) => changeAlert(call, 'acknowledge_alert'),
    },
    {
      name: 'resolve',
      summary: 'close an alert',
      examples: ['agtmux alerts resolve 3f9a1c07be'],
      args: [alertArgument],
      run: (call) => changeAlert(call, 'resolve_alert'),
    },
  ],
};

function listAlerts(call: Call): Promise<number> {
  const include_resolved = isSet(call.flags, 'all');
  return printReplyTo(
    call,
    (client) => client.call('list_alerts', { include_resolved }),
    (view, { alerts }) => renderAlerts(view, alerts),
  );
}

async function changeAlert(
  call: Call,
  operation: 'acknowledge_alert' | 'resolve_alert',
): Promise<number> {
  const alert_id = call.args[0] ?? '';
  const alert = await withDaemon(call, (client) => client.call(operation, { alert_id }));
  return printed(call, alert, renderAlerts(callView(call, Date.now()), [alert]));
}
