// Pane identity from listings of one tmux server: which panes appeared, changed or are gone. A pane
// id that comes back on a restarted server, or with another process, is another pane.

import type { EventDraft } from '../../schema/event.ts';
import { type PaneKey, paneKeyOf, type ServerGeneration, type TargetId } from '../../schema/ids.ts';
import type { PaneFacts, PaneLocation } from '../../schema/pane.ts';
import type { PaneRecord, World } from '../world.ts';

/** Everything that one tmux server showed at one moment; no panes and no generation: it is gone. */
export interface ServerListing {
  readonly targetId: TargetId;
  readonly server: string;
  readonly generation: ServerGeneration | null;
  readonly panes: readonly PaneFacts[];
  readonly atMs: number;
}

/** The events that a listing makes. */
export function observeListing(world: World, listing: ServerListing): readonly EventDraft[] {
  const { atMs } = listing;
  const listed = new Map<PaneKey, PaneFacts>();
  const addresses = new Set<string>();
  for (const facts of listing.panes) {
    listed.set(paneKeyOf(facts), facts);
    addresses.add(facts.paneId);
  }
  const events: EventDraft[] = [];
  for (const pane of livePanesOf(world, listing)) {
    if (listed.has(pane.paneKey)) continue;
    const reason = goneReason(pane, listing, addresses);
    events.push({ type: 'pane.gone', atMs, paneKey: pane.paneKey, reason });
  }
  for (const [paneKey, facts] of listed) {
    const before = world.panes.get(paneKey);
    if (!before || before.goneAtMs !== null) {
      events.push({ type: 'pane.appeared', atMs, paneKey, facts });
    } else if (before.facts && !sameFacts(before.facts, facts)) {
      events.push({ type: 'pane.changed', atMs, paneKey, facts });
    }
  }
  return events;
}

function goneReason(
  pane: PaneRecord,
  listing: ServerListing,
  listedIds: ReadonlySet<string>,
): 'closed' | 'respawned' | 'server_gone' {
  const before = pane.facts?.generation;
  const now = listing.generation;
  const sameServer =
    now !== null && before?.pid === now.pid && before.startedAtMs === now.startedAtMs;
  if (!sameServer) return 'server_gone';
  return pane.facts && listedIds.has(pane.facts.paneId) ? 'respawned' : 'closed';
}

function livePanesOf(world: World, { targetId, server }: ServerListing): readonly PaneRecord[] {
  return [...world.panes.values()].filter(
    ({ facts, goneAtMs }) =>
      goneAtMs === null && facts?.targetId === targetId && facts.server === server,
  );
}

function sameFacts(a: PaneFacts, b: PaneFacts): boolean {
  return (
    a.title === b.title &&
    a.isHostTitle === b.isHostTitle &&
    a.isFloating === b.isFloating &&
    a.command === b.command &&
    a.path === b.path &&
    a.dead === b.dead &&
    a.opaque === b.opaque &&
    a.locations.length === b.locations.length &&
    a.locations.every((location, index) => sameLocation(location, b.locations[index]))
  );
}

function sameLocation(a: PaneLocation, b: PaneLocation | undefined): boolean {
  return (
    a.sessionId === b?.sessionId &&
    a.sessionName === b.sessionName &&
    a.windowId === b.windowId &&
    a.windowIndex === b.windowIndex &&
    a.windowName === b.windowName &&
    a.paneIndex === b.paneIndex &&
    a.active === b.active
  );
}
