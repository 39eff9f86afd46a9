// How the daemon is: its life, its targets, the channels of its sources, adapters and alerts.

import { PROTOCOL_VERSION } from '../schema/api/health.ts';
import { ok } from '../schema/outcome.ts';
import type { Context } from './context.ts';
import { type Operation, operation } from './operation.ts';
import { isoOf } from './pane-item.ts';

const listHeader = (context: Context) => ({
  schema_version: 1 as const,
  generated_at: isoOf(context.nowMs()),
});

const hello = operation('hello', {
  summary: 'Who answers: protocol, version, and the name of this life of the daemon.',
  access: 'read',
  run: (context) => {
    const { version, pid, nonce } = context.info();
    return ok({ protocol: PROTOCOL_VERSION, version, pid, nonce });
  },
});

const daemonInfo = operation('daemon_info', {
  summary: 'The daemon: its files, its tmux servers and how they are.',
  access: 'read',
  run: (context) => ok(context.info()),
});

const daemonStop = operation('daemon_stop', {
  summary: 'Ends the daemon once the answer is sent; a newer version asks so for the hand-over.',
  access: 'admin',
  actor: 'user',
  run: (context, { reason }) => {
    context.stop(reason ?? 'asked');
    return ok({ ok: true as const });
  },
});

const listTargets = operation('list_targets', {
  summary: 'The machines that are watched, and whether they answer.',
  access: 'read',
  run: (context) =>
    ok({
      ...listHeader(context),
      targets: [...context.world().targets.values()].map((target) => ({
        target: target.targetId,
        name: target.name,
        kind: target.kind,
        connection_ref: target.connectionRef,
        health: target.health,
      })),
    }),
});

const listSourceHealth = operation('list_source_health', {
  summary: 'The channels that carry evidence: fresh, stale or down, and since when.',
  access: 'read',
  run: (context) => {
    const { beatAtMs } = context.sightings();
    const sources = [...context.world().channels].map(([channel, { status, sinceMs }]) => {
      const beat = beatAtMs.get(channel);
      const lastBeatAt = beat === undefined ? null : isoOf(beat);
      return { channel, status, since: isoOf(sinceMs), last_beat_at: lastBeatAt };
    });
    return ok({ ...listHeader(context), sources });
  },
});

const listAdapters = operation('list_adapters', {
  summary: 'The agents that are known, what is known about each, and which are switched off.',
  access: 'read',
  run: (context) => ok(context.adapters()),
});

const setAdapterEnabled = operation('set_adapter_enabled', {
  summary: 'Switches the recognition of one agent on or off.',
  access: 'control',
  run: (context, { agent, enabled }) => context.setAdapterEnabled(agent, enabled),
});

const listAlerts = operation('list_alerts', {
  summary: 'What is wrong with the watching itself; resolved alerts only where asked for.',
  access: 'read',
  run: (context, { include_resolved = false }) =>
    ok({
      ...listHeader(context),
      alerts: [...context.alerts({ includeResolved: include_resolved })],
    }),
});

const acknowledgeAlert = operation('acknowledge_alert', {
  summary: 'Notes that a person knows of an alert; it stays open.',
  access: 'control',
  run: (context, input) => context.acknowledgeAlert(input.alert_id),
});

const resolveAlert = operation('resolve_alert', {
  summary: 'Closes an alert by hand.',
  access: 'control',
  run: (context, input) => context.resolveAlert(input.alert_id),
});

const metrics = operation('metrics', {
  summary: 'Counters and gauges of the daemon in the text format of Prometheus.',
  access: 'read',
  run: (context) =>
    ok({ content_type: 'text/plain; version=0.0.4; charset=utf-8', text: context.metrics() }),
});

export const healthOperations: readonly Operation[] = [
  hello,
  daemonInfo,
  daemonStop,
  listTargets,
  listSourceHealth,
  listAdapters,
  setAdapterEnabled,
  listAlerts,
  acknowledgeAlert,
  resolveAlert,
  metrics,
];
