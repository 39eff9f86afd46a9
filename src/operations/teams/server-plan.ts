// What every plan for a tmux server holds: how the machine is reached, the socket, and which agents
// are there now.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { BundlePlan } from '../../schema/relay/bundle-api.ts';
import type { Ports } from '../ports/ports.ts';
import type { ServerChoice } from '../ports/teams-port.ts';

const AGENTS_MAX = 500;

export type PlanPorts = Pick<Ports, 'panes' | 'teams' | 'targets'>;

/** The part of a plan that is about its machine and its server. */
export type ServerPlan = Pick<BundlePlan, 'target' | 'target_kind' | 'login' | 'server' | 'agents'>;

export function serverPlan(
  { panes, teams, targets }: PlanPorts,
  choice: ServerChoice,
): Outcome<ServerPlan> {
  const world = panes.world();
  const at = teams.serverOf(choice);
  const target = [...world.targets.values()].find(({ name }) => name === choice.target);
  if (!target) return refuse('E_TARGET_UNKNOWN', `no target is called "${choice.target}"`);
  const login = targets.loginOf(target.targetId);
  const isReached = target.kind === 'local' || (login !== null && target.health !== 'down');
  if (!at || !isReached) {
    return refuse('E_TARGET_UNREACHABLE', `target ${choice.target} does not answer`);
  }
  const agents = [...world.panes.values()].flatMap(({ facts, row, goneAtMs }) => {
    const isThere = facts?.server === at.server && facts.targetId === at.targetId;
    if (!isThere || goneAtMs !== null || row.agent === null) return [];
    const { agent, state } = row;
    return facts.locations.map(({ sessionName }) => ({ session: sessionName, agent, state }));
  });
  return ok({
    target: choice.target,
    target_kind: target.kind,
    login: login && {
      destination: login.destination,
      config_file: login.configFile,
      tmux_path: login.tmuxPath,
    },
    server: at.server,
    agents: agents.slice(0, AGENTS_MAX),
  });
}
