// The processes of the agent that an action is for, and of its host.

import { liveRuntime, type World } from '../../core/world.ts';
import type { RuntimeId, TargetId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';

/** Whether it is still the one in the pane: true without one, and where it cannot be seen. */
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

/**
 * Over ssh a reading replaces the one before it, for all panes: one that an action asks for reads
 * all of them, or the other agents would seem to be gone.
 */
export function withWholeRefresh(
  processes: HostProcesses | null,
  world: () => World,
  targetId: TargetId,
): HostProcesses | null {
  if (!processes?.refresh) return processes;
  const panePids = (): readonly number[] =>
    [...world().panes.values()].flatMap(({ facts, goneAtMs }) =>
      facts && goneAtMs === null && facts.targetId === targetId ? [facts.birth.pid] : [],
    );
  return {
    refresh: async (pids) => processes.refresh?.([...new Set([...panePids(), ...pids])]),
    tree: (pid) => processes.tree(pid),
    startedAtMs: (pid) => processes.startedAtMs(pid),
    signOf: (pid) => processes.signOf(pid),
    foregroundOf: processes.foregroundOf,
  };
}
