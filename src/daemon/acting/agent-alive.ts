// Whether the agent that an action is for is still the one in the pane.

import { liveRuntime, type World } from '../../core/world.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';

/** True without an agent, and where its process cannot be seen. */
export function isAgentAlive(
  world: World,
  runtimeId: RuntimeId | null,
  processes: Pick<HostProcesses, 'startedAtMs'> | null,
): boolean {
  if (runtimeId === null) return true;
  const runtime = liveRuntime(world, runtimeId);
  if (runtime === null) return false;
  return runtime.pid === null || processes?.startedAtMs(runtime.pid) === runtime.startedAtMs;
}
