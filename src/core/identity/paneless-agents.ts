// Agents without a pane, from a look at all of one kind on one machine: which came, which are still
// there, which are gone. Each has a seat of its own in place of a pane, named by its session.

import type { EventDraft } from '../../schema/event.ts';
import {
  type AgentName,
  isSeatOf,
  type PaneKey,
  type SessionKey,
  seatKeyOf,
  type TargetId,
} from '../../schema/ids.ts';
import { liveRuntime, type World } from '../world.ts';
import { confirmEvents, type FoundAgent } from './presence.ts';

export interface PanelessAgent extends FoundAgent {
  readonly sessionKey: SessionKey;
  /** The folder that it works in. */
  readonly path: string;
}

/** Everybody of one kind who has no pane on one machine; who is not in it is gone. */
export interface PanelessAgentListing {
  readonly targetId: TargetId;
  readonly agent: AgentName;
  readonly agents: readonly PanelessAgent[];
  readonly atMs: number;
}

/** What a look says that the world does not know yet. */
export function observePanelessAgents(
  world: World,
  look: PanelessAgentListing,
): readonly EventDraft[] {
  const { targetId, agent, atMs } = look;
  const found = new Map<PaneKey, PanelessAgent>();
  for (const seat of look.agents) found.set(seatKeyOf(targetId, agent, seat.sessionKey), seat);
  const events: EventDraft[] = [];
  for (const { paneKey, facts, goneAtMs } of world.panes.values()) {
    if (facts !== null || goneAtMs !== null || found.has(paneKey)) continue;
    if (!isSeatOf(paneKey, targetId, agent)) continue;
    events.push({ type: 'pane.gone', atMs, paneKey, reason: 'closed' });
  }
  for (const [paneKey, seat] of found) events.push(...eventsOf(world, look, paneKey, seat));
  return events;
}

function eventsOf(
  world: World,
  { targetId, atMs }: PanelessAgentListing,
  paneKey: PaneKey,
  seat: PanelessAgent,
): readonly EventDraft[] {
  const current = liveRuntime(world, world.panes.get(paneKey)?.runtimeId ?? null);
  const { suspended, path, ...found } = seat;
  if (current?.runtimeId === seat.runtimeId) return confirmEvents(current, seat, atMs);
  const start: EventDraft = {
    type: 'runtime.started',
    atMs,
    paneKey,
    seat: { targetId, path },
    basis: 'process',
    ...found,
  };
  const { runtimeId } = seat;
  return suspended ? [start, { type: 'runtime.suspended', atMs, runtimeId, suspended }] : [start];
}
