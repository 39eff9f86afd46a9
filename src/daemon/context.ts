// The daemon as operations see it: each question answered from the part that knows. No rule stands
// here; the operations hold them.

import type { Registry } from '../agents/registry.ts';
import { liveRuntime, type PaneRecord } from '../core/world.ts';
import type { Context, TargetsPort } from '../operations/context.ts';
import { adapterList } from '../operations/health.ts';
import type { DaemonInfo } from '../schema/api/health.ts';
import type { PaneKey } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { Store } from '../store/store.ts';
import { LOCAL } from './daemon-core.ts';
import type { Engine } from './engine/engine.ts';
import { API_CHANNEL, type IngestOptions, ingestEvents } from './engine/ingest-events.ts';
import type { Loop } from './engine/loop.ts';
import type { Alerts } from './health/alerts.ts';
import type { Watchers } from './watching/watchers.ts';

export interface ContextParts {
  readonly nowMs: () => number;
  readonly engine: Engine;
  readonly loop: Loop;
  readonly store: Store;
  readonly alerts: Alerts;
  readonly watchers: Watchers;
  readonly targets: TargetsPort;
  readonly hooks: Context['hooks'];
  readonly telling: IngestOptions;
  readonly registry: () => Registry;
  readonly setAdapterEnabled: (agent: string, enabled: boolean) => void;
  readonly gitBranch: (folder: string) => string | null;
  readonly info: () => Omit<DaemonInfo, 'servers'>;
  readonly metrics: () => string;
  readonly stop: (reason: string) => void;
  readonly sourcesChanged: () => void;
}

/** What operations may reach. */
export function buildContext(parts: ContextParts): Context {
  const { nowMs, engine, loop, store, alerts, watchers } = parts;
  const adapters = () => adapterList(parts.registry(), nowMs());
  return {
    nowMs,
    targets: parts.targets,
    hooks: parts.hooks,
    world: () => engine.world,
    sightings: () => engine.sightings,
    lastSeenAtMs: (pane) => lastSeenAtMs(parts, pane),
    gitBranch: (pane) => {
      const folder = localFolderOf(pane);
      return folder === null ? null : parts.gitBranch(folder);
    },
    screenOf: ({ facts }) =>
      facts ? watchers.screenOf(facts, facts.paneId) : Promise.resolve(null),
    history: (query) => store.history(query),
    eventsOfRuntime: (runtimeId, limit) => store.eventsOfRuntime(runtimeId, limit),
    adapters,
    setAdapterEnabled: (agent, enabled) => {
      parts.setAdapterEnabled(agent, enabled);
      return ok(adapters());
    },
    alerts: (query) => store.alerts(query),
    acknowledgeAlert: (alertId) => alerts.acknowledge(alertId),
    resolveAlert: (alertId) => alerts.resolve(alertId),
    info: () => ({ ...parts.info(), servers: watchers.info() }),
    metrics: parts.metrics,
    stop: parts.stop,
    ingest: async (events, channel = API_CHANNEL) => ingestEvents(events, channel, parts.telling),
    beat: (channel) => {
      loop.submit([{ kind: 'heartbeat', channel, atMs: nowMs() }]);
    },
    sources: new Map(),
    sourcesChanged: parts.sourcesChanged,
    loadSourceCursor: (channel) => store.loadSourceCursor(channel),
    saveSourceCursor: (channel, fetched, committed) =>
      store.saveSourceCursor(channel, fetched, committed, nowMs()),
    tag: (paneKey, agent) => tag(parts, paneKey, agent),
    markSeen: (paneKey, requestIds) => {
      const fact = { type: 'attention.seen', atMs: nowMs(), paneKey } as const;
      loop.submit([{ kind: 'fact', fact: { ...fact, requestIds: [...requestIds] } }]);
    },
  };
}

/** The folder of a pane on this machine; a path of another machine means nothing here. */
export const localFolderOf = ({ targetId, facts }: PaneRecord): string | null =>
  targetId === LOCAL ? (facts?.path ?? null) : null;

/** When a live source last confirmed the row: the latest reading of any, or its last change. */
function lastSeenAtMs({ engine, targets }: ContextParts, pane: PaneRecord): number {
  const { world, sightings } = engine;
  const runtime = liveRuntime(world, pane.runtimeId);
  const { targetId, row } = pane;
  // That its target was lost has changed the row too, and was no look at the pane.
  const isLost = world.targets.get(targetId)?.health === 'down';
  let lastMs = isLost ? 0 : row.updatedAtMs;
  for (const [source, { cursor }] of runtime?.sources ?? []) {
    const readAtMs = sightings.readAtMs.get(`${runtime?.runtimeId}\n${source}`) ?? 0;
    lastMs = Math.max(lastMs, readAtMs, cursor.ingestedAtMs);
  }
  return lastMs || (targets.statusOf(targetId).lastSeenAtMs ?? row.updatedAtMs);
}

async function tag(
  parts: ContextParts,
  paneKey: PaneKey,
  agent: string | null,
): Promise<Outcome<null>> {
  const facts = parts.engine.world.panes.get(paneKey)?.facts;
  const watch = facts && parts.watchers.at(facts);
  if (!facts || !watch) return refuse('E_REF_NOT_FOUND', 'the pane is not watched any more');
  return watch.tag(facts.paneId, agent ?? undefined);
}
