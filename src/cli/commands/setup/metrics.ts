// `agtmux metrics`: the daemon's counters as Prometheus text.

import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { printJson } from '../../output/print.ts';

export const metricsCommand: CommandSpec = {
  name: 'metrics',
  summary: 'print the counters of the daemon as Prometheus text',
  examples: ['agtmux metrics'],
  run: runMetrics,
};

async function runMetrics(call: Call): Promise<number> {
  const reply = await withDaemon(call, (client) => client.call('metrics', {}));
  if (isSet(call.flags, 'json')) printJson(call, reply);
  else {
    const lines = reply.text.trimEnd().split('\n');
    call.io.writeOut(`${lines.map((line) => safeText(line)).join('\n')}\n`);
  }
  return 0;
}
