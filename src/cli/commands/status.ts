// `agtmux status`: the daemon, the counts, the health of its sources and its open alerts. Its exit
// code says in one number whether all is well. Never starts a daemon.

import { isHealthy, renderStatus, type StatusReport } from '../../render/health.ts';
import { safeText } from '../../render/safe-text.ts';
import { type Call, isSet } from '../command.ts';
import { findDaemon, socketPathOf } from '../daemon-link.ts';
import { EXIT_DEGRADED, EXIT_NOT_RUNNING } from '../exit-codes.ts';
import { printAnswer, printJson } from '../print.ts';

export async function runStatus(call: Call): Promise<number> {
  const client = await findDaemon(call);
  if (client === null) return tellAbsent(call);
  try {
    const [daemon, listing, health, alerts] = await Promise.all([
      client.call('daemon_info', {}),
      client.call('list_sessions', {}),
      client.call('list_source_health', {}),
      client.call('list_alerts', {}),
    ]);
    const report: StatusReport = {
      schema_version: 1,
      generated_at: listing.generated_at,
      healthy: isHealthy(daemon, health.sources, alerts.alerts),
      daemon,
      summary: listing.summary,
      sources: health.sources,
      alerts: alerts.alerts,
    };
    printAnswer(call, report, (view) => renderStatus(view, report));
    return report.healthy ? 0 : EXIT_DEGRADED;
  } finally {
    client.close();
  }
}

/** Says that no daemon runs, which is an answer and no error. */
export function tellAbsent(call: Call): number {
  const socket = socketPathOf(call);
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, running: false, socket });
  else call.io.writeOut(`No daemon answers at ${safeText(socket)}.\n`);
  return EXIT_NOT_RUNNING;
}
