// The processes of a host for an action. Over ssh a reading replaces the one before it, for all
// panes: one that an action asks for reads all of them, or the other agents would seem to be gone.

import type { World } from '../../core/world.ts';
import type { TargetId } from '../../schema/ids.ts';
import type { HostProcesses } from '../../tmux/host.ts';

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
