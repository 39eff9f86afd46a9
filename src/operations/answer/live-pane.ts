// The pane of an agent that lives, by its runtime alone.

import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import { id, type RuntimeId } from '../../schema/ids.ts';

/** Null where the agent has ended, or its pane holds another one. */
export function livePaneOf(world: World, runtimeId: string): PaneRecord | null {
  const runtime = liveRuntime(world, id<RuntimeId>(runtimeId));
  const pane = runtime && world.panes.get(runtime.paneKey);
  return pane?.goneAtMs === null && pane.row.runtimeId === runtimeId ? pane : null;
}
