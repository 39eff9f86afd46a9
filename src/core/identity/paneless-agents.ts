// Paneless agents, from a listing of all of one kind on one machine: which came, which stay, which
// are gone. Each has a key of its own in place of a pane, made of its session.

import type { EventDraft } from '../../schema/event.ts';
import {
  type AgentName,
  isPanelessKeyOf,
  type PaneKey,
  panelessKeyOf,
  type SessionKey,
  type TargetId,
} from '../../schema/ids.ts';
import { liveRuntime, type World } from '../world.ts';
import { confirmEvents, type FoundAgent } from './presence.ts';

export interface PanelessAgent extends FoundAgent {
  readonly sessionKey: SessionKey;
  /** The folder that it works in. */
  readonly path: string;
}

/** All paneless agents of one kind on one machine; an agent that is not in it is gone. */
export interface PanelessAgentListing {
  readonly targetId: TargetId;
  readonly agent: AgentName;
  readonly agents: readonly PanelessAgent[];
  readonly atMs: number;
}

/** The events that a listing makes. */
export function observePanelessAgents(
  world: World,
  listing: PanelessAgentListing,
): readonly EventDraft[] {
  const { targetId, agent, atMs } = listing;
  const found = new Map<PaneKey, PanelessAgent>();
  for (const each of listing.agents)
    found.set(panelessKeyOf(targetId, agent, each.sessionKey), each);
  const events: EventDraft[] = [];
  for (const { paneKey, facts, goneAtMs } of world.panes.values()) {
    if (facts !== null || goneAtMs !== null || found.has(paneKey)) continue;
    if (!isPanelessKeyOf(paneKey, targetId, agent)) continue;
    events.push({ type: 'pane.gone', atMs, paneKey, reason: 'closed' });
  }
  for (const [paneKey, each] of found) events.push(...eventsOf(world, listing, paneKey, each));
  return events;
}

function eventsOf(
  world: World,
  { targetId, atMs }: PanelessAgentListing,
  paneKey: PaneKey,
  found: PanelessAgent,
): readonly EventDraft[] {
  const current = liveRuntime(world, world.panes.get(paneKey)?.runtimeId ?? null);
  const { suspended, path, ...started } = found;
  if (current?.runtimeId === found.runtimeId) return confirmEvents(current, found, atMs);
  const start: EventDraft = {
    type: 'runtime.started',
    atMs,
    paneKey,
    seat: { targetId, path },
    basis: 'process',
    ...started,
  };
  const { runtimeId } = found;
  return suspended ? [start, { type: 'runtime.suspended', atMs, runtimeId, suspended }] : [start];
}
