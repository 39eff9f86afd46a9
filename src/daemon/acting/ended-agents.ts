// The agents that have ended, as the store keeps them, and what stands against starting each again.
// Pure; the words for the start are the adapter's own.

import { adapterOf, type Registry } from '../../agents/registry.ts';
import { resumeArgv } from '../../agents/resume-argv.ts';
import { liveRuntime, sessionAt, type World } from '../../core/world.ts';
import { isoOf } from '../../operations/ports/iso-time.ts';
import type { EndedAgentItem } from '../../schema/api/actions.ts';
import type { EndedAgent } from '../../schema/history.ts';
import type { RuntimeId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';

/** The runtime that has the session of an ended agent open now. */
export function openRuntime(world: World, { targetId, sessionKey }: EndedAgent) {
  if (sessionKey === null) return null;
  return liveRuntime(world, world.sessions.get(sessionAt(targetId, sessionKey))?.runtimeId ?? null);
}

/** Each session once, by the agent that had it last, without those that are open. */
export function lastOfEach(world: World, agents: readonly EndedAgent[]): readonly EndedAgent[] {
  const seen = new Set<string>();
  return agents.filter((agent) => {
    const { targetId, sessionKey, runtimeId } = agent;
    const key = sessionKey === null ? runtimeId : sessionAt(targetId, sessionKey);
    if (seen.has(key)) return false;
    seen.add(key);
    return openRuntime(world, agent) === null;
  });
}

/** The words that start it again. */
export function argvOf(
  registry: Registry,
  agent: EndedAgent,
  extraArgs: readonly string[],
): Outcome<readonly string[]> {
  const adapter = adapterOf(registry, agent.agent);
  if (!adapter?.resume) {
    const what = `how ${adapter?.title ?? agent.agent} goes on with a session is not known`;
    return refuse('E_AGENT_UNSUPPORTED', what);
  }
  if (agent.sessionKey === null) {
    return refuse('E_SESSION_UNKNOWN', `${adapter.title} has not named its session`);
  }
  if (agent.server === null || agent.path === null) {
    return refuse('E_AGENT_UNSUPPORTED', 'it ran in no pane whose folder is known');
  }
  const argv = resumeArgv(adapter.resume, agent.sessionKey, extraArgs);
  if (argv) return ok(argv);
  const what = `"${agent.sessionKey.slice(0, 80)}" is no id of a session of ${adapter.title}`;
  return refuse('E_SESSION_UNKNOWN', what);
}

/** A server takes its agents with it; what their ends were seen by may lie apart by so much. */
const TOGETHER_MS = 5_000;

/** Target, server, and the pid and start of its life; null for an agent without a pane. */
const lifeOf = ({ paneKey }: EndedAgent): string | null => {
  const [target, server, pid, startedAt] = paneKey.split('|');
  return server === 'none' ? null : [target, server, pid, startedAt].join('|');
};

/** Those that ended when their tmux server did: with the last agents of a life that is over. */
export function endedWithServer(
  world: World,
  agents: readonly EndedAgent[],
): ReadonlySet<RuntimeId> {
  const living = new Set(
    [...world.panes.values()].flatMap(({ paneKey, goneAtMs }) =>
      goneAtMs === null ? [paneKey.split('|').slice(0, 4).join('|')] : [],
    ),
  );
  const lives = Map.groupBy(agents, lifeOf);
  return new Set(
    [...lives].flatMap(([life, ended]) => {
      if (life === null || living.has(life)) return [];
      const lastMs = Math.max(...ended.map(({ endedAtMs }) => endedAtMs));
      return ended.flatMap(({ endedAtMs, runtimeId }) =>
        endedAtMs >= lastMs - TOGETHER_MS ? [runtimeId] : [],
      );
    }),
  );
}

export interface EndedAgentFacts {
  readonly isWithServer: boolean;
  readonly bundle: string | null;
}

export function endedAgentItem(
  registry: Registry,
  agent: EndedAgent,
  { isWithServer, bundle }: EndedAgentFacts,
): EndedAgentItem {
  const argv = argvOf(registry, agent, []);
  return {
    runtime_id: agent.runtimeId,
    agent: agent.agent,
    target: agent.targetId,
    pane_key: agent.paneKey,
    pane_id: agent.paneId,
    session_name: agent.sessionName,
    path: agent.path,
    session_key: agent.sessionKey,
    title: agent.title,
    prompt: agent.prompt,
    ended_at: isoOf(agent.endedAtMs),
    blocker: argv.ok ? null : argv.refusal.message,
    with_server: isWithServer,
    bundle,
  };
}
