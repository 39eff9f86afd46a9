// How the daemon is: its life, its targets, the channels of its sources, adapters and alerts.

import { type AdapterList, PROTOCOL_VERSION, type SourceHealthItem } from '../schema/api/health.ts';
import { ok } from '../schema/outcome.ts';
import { refuseUnknownAgent } from './answer/known-names.ts';
import { header } from './answer/pane-item.ts';
import { isoOf } from './ports/iso-time.ts';
import { type Operation, operation } from './ports/operation.ts';
import type { HudPort, Ports } from './ports/ports.ts';

/** What is shown of an adapter. */
interface AdapterRow {
  readonly agent: string;
  readonly title: string;
  readonly contractVersion: string;
  readonly health:
    | { readonly status: 'ok' }
    | { readonly status: 'disabled'; readonly reason: string };
  readonly capabilities: {
    readonly eventDriven: boolean;
    readonly pollingRequired: boolean;
    readonly supportsWaitingApproval: boolean;
    readonly supportsWaitingInput: boolean;
    readonly supportsCompleted: boolean;
  };
  readonly sources: readonly { readonly name: string }[];
  readonly screen: { readonly rules: readonly unknown[] };
}

/** The table of agents as clients see it. */
export function adapterList(
  registry: {
    readonly adapters: readonly AdapterRow[];
    readonly problems: readonly AdapterList['problems'][number][];
  },
  nowMs: number,
): AdapterList {
  return {
    ...header(nowMs),
    adapters: registry.adapters.map(({ capabilities, health, ...each }) => ({
      agent: each.agent,
      title: each.title,
      contract_version: each.contractVersion,
      enabled: health.status === 'ok',
      health: health.status === 'ok' ? 'ok' : health.reason,
      capabilities: {
        event_driven: capabilities.eventDriven,
        polling_required: capabilities.pollingRequired,
        supports_waiting_approval: capabilities.supportsWaitingApproval,
        supports_waiting_input: capabilities.supportsWaitingInput,
        supports_completed: capabilities.supportsCompleted,
      },
      sources: each.sources.map(({ name }) => name),
      rules: each.screen.rules.length,
    })),
    problems: [...registry.problems],
  };
}

const hello = operation('hello', {
  summary: 'The protocol and the version of the daemon, and the nonce of its run.',
  scope: 'read',
  ports: ['daemon'],
  run: ({ daemon }) => {
    const { version, pid, nonce } = daemon.info();
    return ok({ protocol: PROTOCOL_VERSION, version, pid, nonce });
  },
});

const hudStatus = operation('hud_status', {
  summary: 'Whether the HUD is on, and on which tmux servers it is shown.',
  scope: 'read',
  ports: ['hud'],
  run: ({ hud }, _input, call) => ok({ ...header(call.nowMs()), ...hudItem(hud.status()) }),
});

const setHud = operation('set_hud', {
  summary: 'Switches the HUD on or off, until the next such command.',
  scope: 'control',
  actors: ['user'],
  ports: ['hud'],
  run: async ({ hud }, { on }, call) => {
    call.commit();
    const status = await hud.set(on);
    return ok({ ...header(call.nowMs()), ...hudItem(status) });
  },
});

const hudItem = ({ on, servers }: ReturnType<HudPort['status']>) => ({ on, servers: [...servers] });

const daemonInfo = operation('daemon_info', {
  summary: 'The daemon: its files, and its tmux servers with their health.',
  scope: 'read',
  ports: ['daemon'],
  run: ({ daemon }) => ok(daemon.info()),
});

const showConfig = operation('show_config', {
  summary: 'The configuration in force, and which keys of the file wait for the next start.',
  scope: 'read',
  ports: ['daemon'],
  run: ({ daemon }) => ok(daemon.config()),
});

const daemonStop = operation('daemon_stop', {
  summary: 'Stops the daemon after the reply is sent; a newer version calls this to take over.',
  scope: 'admin',
  actors: ['user'],
  ports: ['daemon'],
  run: ({ daemon }, { reason }) => {
    daemon.stop(reason ?? 'requested');
    return ok({ ok: true as const });
  },
});

type HealthPorts = Pick<Ports, 'panes' | 'teams'>;

const listSourceHealth = operation('list_source_health', {
  summary: 'The channels that carry evidence: fresh, stale or down, and since when.',
  scope: 'read',
  ports: ['panes', 'teams'],
  run: (ports, _input, call) => ok({ ...header(call.nowMs()), sources: sourceHealthItems(ports) }),
});

export function sourceHealthItems({ panes, teams }: HealthPorts): SourceHealthItem[] {
  const { beatAtMs } = panes.sightings();
  const ended = endedServers(teams);
  return [...panes.world().channels].flatMap(([channel, { status, sinceMs }]) => {
    if (status !== 'fresh' && ended.some((each) => channel.endsWith(each))) return [];
    const beat = beatAtMs.get(channel);
    const lastBeatAt = beat === undefined ? null : isoOf(beat);
    return [{ channel, status, since: isoOf(sinceMs), last_beat_at: lastBeatAt }];
  });
}

/** How the channels of private tmux servers end whose bundle somebody has brought down. */
function endedServers(teams: HealthPorts['teams']): readonly string[] {
  return [...teams.team().bundles.values()].flatMap((bundle) => {
    if (bundle.server !== 'private' || teams.isWanted(bundle.name)) return [];
    const at = teams.serverOf(bundle);
    return at === null ? [] : [`@${at.targetId}:${at.server}`];
  });
}

const listAdapters = operation('list_adapters', {
  summary: 'The supported agents, what each adapter reports, and which are switched off.',
  scope: 'read',
  ports: ['adapters'],
  run: ({ adapters }) => ok(adapters.list()),
});

const setAdapterEnabled = operation('set_adapter_enabled', {
  summary: 'Switches the recognition of one agent on or off.',
  scope: 'control',
  actors: ['user'],
  ports: ['adapters'],
  run: ({ adapters }, { agent, enabled }) =>
    refuseUnknownAgent(adapters, agent) ?? ok(adapters.setEnabled(agent, enabled)),
});

const listAlerts = operation('list_alerts', {
  summary: 'What is wrong with the watching itself; resolved alerts only on request.',
  scope: 'read',
  ports: ['daemon'],
  run: ({ daemon }, { include_resolved = false }, call) =>
    ok({
      ...header(call.nowMs()),
      alerts: [...daemon.alerts({ includeResolved: include_resolved })],
    }),
});

const acknowledgeAlert = operation('acknowledge_alert', {
  summary: 'Acknowledges an alert; it stays open.',
  scope: 'control',
  actors: ['user'],
  ports: ['daemon'],
  run: ({ daemon }, input) => daemon.acknowledgeAlert(input.alert_id),
});

const resolveAlert = operation('resolve_alert', {
  summary: 'Closes an alert by hand.',
  scope: 'control',
  actors: ['user'],
  ports: ['daemon'],
  run: ({ daemon }, input) => daemon.resolveAlert(input.alert_id),
});

const metrics = operation('metrics', {
  summary: 'Counters and gauges of the daemon in the text format of Prometheus.',
  scope: 'read',
  ports: ['daemon'],
  run: ({ daemon }) =>
    ok({ content_type: 'text/plain; version=0.0.4; charset=utf-8', text: daemon.metrics() }),
});

export const healthOperations: readonly Operation[] = [
  hello,
  hudStatus,
  setHud,
  daemonInfo,
  showConfig,
  daemonStop,
  listSourceHealth,
  listAdapters,
  setAdapterEnabled,
  listAlerts,
  acknowledgeAlert,
  resolveAlert,
  metrics,
];
