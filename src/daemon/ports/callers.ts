// The port of callers: which agent a connection acts for, and what agents are granted.

import { liveRuntime } from '../../core/world.ts';
import type { CallersPort } from '../../operations/ports/callers-port.ts';
import { canonicalSocketPath } from '../../platform/files/tmux-sockets.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { type AncestorReader, callingAgent } from '../acting/calling-agent.ts';
import type { CallerRights } from '../callers/caller-rights.ts';
import { type DaemonCore, LOCAL } from '../daemon-core.ts';

export interface CallersPortParts {
  readonly core: Pick<DaemonCore, 'config' | 'engine'>;
  readonly processes: AncestorReader;
  readonly rights: CallerRights;
}

export function callersPort({ core, processes, rights }: CallersPortParts): CallersPort {
  const world = () => core.engine.world;
  /** A live agent of this machine by its own session; null where two have it. */
  const bySession = (sessionKey: string): RuntimeId | null => {
    const found = [...world().runtimes.values()].filter(
      ({ targetId, endedAtMs, session }) =>
        targetId === LOCAL && endedAtMs === null && session?.sessionKey === sessionKey,
    );
    return found.length === 1 ? (found[0]?.runtimeId ?? null) : null;
  };
  const byPane = (paneId: string, socket: string): RuntimeId | null => {
    const server = canonicalSocketPath(socket);
    const pane = [...world().panes.values()].find(
      ({ facts, goneAtMs }) =>
        goneAtMs === null &&
        facts?.targetId === LOCAL &&
        facts.server === server &&
        facts.paneId === paneId,
    );
    return liveRuntime(world(), pane?.runtimeId ?? null)?.runtimeId ?? null;
  };
  return {
    find: ({ session_key: session, caller_pid: pid, tmux_pane: pane, tmux_socket: socket }) => {
      // A daemon of an agent runs many sessions: the session says more than the process.
      const sessionAgent = session === undefined ? null : bySession(session);
      if (sessionAgent) return { runtimeId: sessionAgent, by: 'session' };
      const processAgent = pid === undefined ? null : callingAgent(world(), processes, pid);
      if (processAgent) return { runtimeId: processAgent, by: 'process' };
      // With a session that nobody knows, the pane may be that of another one.
      if (session !== undefined || pane === undefined || socket === undefined) return null;
      const paneAgent = byPane(pane, socket);
      return paneAgent && { runtimeId: paneAgent, by: 'pane' };
    },
    grants: (runtimeId) => ({
      answer: rights.mayAnswerOthers(runtimeId),
      install_hooks: core.config.mcp.installHooks,
    }),
    refuseStart: (witness, subject) => rights.refuseStart(witness, subject),
    starterOf: (witness) => rights.starterOf(witness),
    noteStarted: (starter, places) => rights.noteStarted(starter, places),
  };
}
