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
