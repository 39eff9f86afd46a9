// `agtmux status`: the daemon, the counts, the health of its sources and its open alerts. The exit
// code tells scripts whether all is well. Never starts a daemon.

import { isHealthy, renderStatus, type StatusReport } from '../../../render/health.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { Call, CommandSpec } from '../../command.ts';
import { findDaemon } from '../../daemon-link.ts';
import { EXIT_DEGRADED } from '../../exit-codes.ts';
import { printNoDaemon, printReply } from '../../output/print.ts';
import { unwatchedServerNote } from './unwatched-server.ts';

export const statusCommand: CommandSpec = {
  name: 'status',
  summary: 'the daemon, counts, source health and alerts',
  notes: [
    'Does not start a daemon.',
    'Exit codes: 0 all is well, 1 something is degraded, 3 no daemon answers.',
  ],
  examples: ['agtmux status', 'agtmux status --json'],
  run: runStatus,
};

async function runStatus(call: Call): Promise<number> {
  const client = await findDaemon(call);
  if (client === null) return printNoDaemon(call);
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
    printReply(call, report, renderStatus);
    const note = await unwatchedServerNote(call, client);
    if (note !== null) call.io.writeErr(`${safeText(note)}\n`);
    return report.healthy ? 0 : EXIT_DEGRADED;
  } finally {
    client.close();
  }
}
