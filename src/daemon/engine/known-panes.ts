// The panes of the world as sources need them, read anew for each use.

import { slotKey } from '../../core/evidence/slots.ts';
import { nextPaneEpoch } from '../../core/identity/presence.ts';
import { addressOf, liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import { TURN } from '../../schema/evidence.ts';
import { id, type SourceName } from '../../schema/ids.ts';
import type { KnownPane, ServerAddress } from '../../sources/known-pane.ts';

const PANE_OPTION = id<SourceName>('pane-option');

/** The live pane of a server, or null. */
export function knownPaneAt(
  world: World,
  address: ServerAddress,
  paneId: string,
): KnownPane | null {
  const paneKey = world.addresses.get(addressOf({ ...address, paneId }));
  const pane = paneKey === undefined ? undefined : world.panes.get(paneKey);
  return pane ? knownPane(world, pane) : null;
}

/** Every live pane of one server. */
export function knownPanesOf(world: World, address: ServerAddress): readonly KnownPane[] {
  const panes: KnownPane[] = [];
  for (const pane of world.panes.values()) {
    const { facts } = pane;
    if (facts?.server !== address.server || facts.targetId !== address.targetId) continue;
    const each = knownPane(world, pane);
    if (each) panes.push(each);
  }
  return panes;
}

function knownPane(world: World, pane: PaneRecord): KnownPane | null {
  const { paneKey, facts, goneAtMs } = pane;
  if (facts === null || goneAtMs !== null) return null;
  const runtime = liveRuntime(world, pane.runtimeId);
  return {
    paneKey,
    facts,
    nextEpoch: nextPaneEpoch(world, paneKey),
    runtime: runtime && {
      runtimeId: runtime.runtimeId,
      agent: runtime.agent,
      pid: runtime.pid,
      startedAtMs: runtime.startedAtMs,
      basis: runtime.basis,
      sessionKey: runtime.session?.sessionKey ?? null,
      hasOptionClaim: runtime.slots.has(slotKey(PANE_OPTION, TURN)),
    },
  };
}
