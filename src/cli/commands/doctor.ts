// `agtmux doctor`: what works, what is missing, how to fix it, and what watching costs right now.
// Asks the daemon if one answers and starts none. The checks are src/doctor/, which loads here.

import type { DaemonClient } from '../../client/client.ts';
import { packageFile } from '../../platform/package-files.ts';
import { packageVersion } from '../../platform/version.ts';
import { renderChecks } from '../../render/checks.ts';
import { callView, isUtf8 } from '../call-view.ts';
import { type Call, type CommandSpec, isSet } from '../command.ts';
import { findDaemon, pathsOf, socketPathOf } from '../daemon-link.ts';
import { EXIT_DEGRADED } from '../exit-codes.ts';
import { printJson } from '../print.ts';

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'what works, what is missing, how to fix it, and what watching costs',
  notes: [
    'Does not start a daemon, and changes nothing.',
    'Exit codes: 0 all is well, 1 something needs attention.',
  ],
  examples: ['agtmux doctor', 'agtmux doctor --json'],
  run: runDoctor,
};

async function runDoctor(call: Call): Promise<number> {
  const { gatherMachine } = await import('../../doctor/gather.ts');
  const { hasFindings, judge } = await import('../../doctor/judge.ts');
  const nowMs = Date.now();
  const daemon = await askDaemon(call, nowMs);
  const machine = await gatherMachine({
    paths: pathsOf(call),
    socketPath: socketPathOf(call),
    env: call.io.env,
    emitter: packageFile('emitter/agtmux-emit'),
    isUtf8: isUtf8(call.io.env),
    asksServers: daemon === null,
  });
  const checks = judge({ ourVersion: packageVersion(), machine, daemon, nowMs });
  const healthy = !hasFindings(checks);
  if (isSet(call.flags, 'json')) {
    const about = { schema_version: 1, generated_at: new Date(nowMs).toISOString(), healthy };
    printJson(call, { ...about, checks, cost: daemon?.cost ?? null });
  } else call.io.writeOut(renderChecks(callView(call, nowMs), checks));
  return healthy ? 0 : EXIT_DEGRADED;
}

/** The daemon's replies; null when none answers, or when it closes the connection. */
async function askDaemon(call: Call, nowMs: number) {
  const client = await findDaemon(call).catch(() => null);
  if (client === null) return null;
  try {
    const { gatherDaemon } = await import('../../doctor/gather.ts');
    return gatherDaemon(await fetchReplies(client), pathsOf(call).stateDir, nowMs);
  } catch {
    return null;
  } finally {
    client.close();
  }
}

async function fetchReplies(client: DaemonClient) {
  const [info, health, adapters, alerts, targets, metrics] = await Promise.all([
    client.call('daemon_info', {}),
    client.call('list_source_health', {}),
    client.call('list_adapters', {}),
    client.call('list_alerts', {}),
    client.call('list_targets', {}),
    client.call('metrics', {}),
  ]);
  return {
    info,
    sources: health.sources,
    adapters,
    alerts: alerts.alerts,
    targets: targets.targets,
    metrics: metrics.text,
  };
}
