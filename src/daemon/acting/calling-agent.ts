// Which agent runs the command that asks for an action. A seatbelt, not a wall: a program can start
// another one that is not below its agent.

import type { World } from '../../core/world.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { LOCAL } from '../daemon-core.ts';

/** No command is deeper than this below the first process. */
const ANCESTORS_MAX = 128;

export interface AncestorReader {
  read(pid: number): { readonly ppid: number; readonly startedAtMs: number } | null;
}

/** Whether an agent runs below another one in the tree of processes. */
export function hasStarted(
  world: World,
  processes: AncestorReader,
  { starter, agent }: { readonly starter: RuntimeId; readonly agent: RuntimeId },
): boolean {
  const runtime = world.runtimes.get(agent);
  const parent = runtime?.pid ? processes.read(runtime.pid)?.ppid : undefined;
  if (runtime?.targetId !== LOCAL || parent === undefined) return false;
  for (let pid = parent, depth = 0; pid > 0 && depth < ANCESTORS_MAX; depth += 1) {
    const above = callingAgent(world, processes, pid);
    if (above === starter) return true;
    if (above === null) return false;
    pid = processes.read(world.runtimes.get(above)?.pid ?? 0)?.ppid ?? 0;
  }
  return false;
}

/** The nearest live agent of this machine among a process and its ancestors; null without one. */
export function callingAgent(
  world: World,
  processes: AncestorReader,
  callerPid: number,
): RuntimeId | null {
  const agents = new Map(
    [...world.runtimes.values()]
      .filter(({ targetId, endedAtMs }) => targetId === LOCAL && endedAtMs === null)
      .map((runtime) => [runtime.pid, runtime]),
  );
  let pid = callerPid;
  for (let depth = 0; depth < ANCESTORS_MAX && pid > 0; depth += 1) {
    const process = processes.read(pid);
    if (process === null) return null;
    const agent = agents.get(pid);
    if (agent?.startedAtMs === process.startedAtMs) return agent.runtimeId;
    pid = process.ppid;
  }
  return null;
}

/** What is asked about the callers of actions, of the world as it is then. */
export const callerReadings = (world: () => World, processes: AncestorReader) => ({
  callingAgent: (pid: number) => callingAgent(world(), processes, pid),
  hasStarted: (starter: RuntimeId, agent: RuntimeId) =>
    hasStarted(world(), processes, { starter, agent }),
});
