// `agtmux metrics`: the daemon's counters as Prometheus text.

import { safeText } from '../../render/safe-text.ts';
import { type Call, isSet } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { printJson } from '../print.ts';

export async function runMetrics(call: Call): Promise<number> {
  const told = await withDaemon(call, (client) => client.call('metrics', {}));
  if (isSet(call.flags, 'json')) printJson(call, told);
  else {
    const lines = told.text.trimEnd().split('\n');
    call.io.writeOut(`${lines.map((line) => safeText(line)).join('\n')}\n`);
  }
  return 0;
}
