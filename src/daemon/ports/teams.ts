// The port of teams: what is declared, and where its members are.

import { join } from 'node:path';
import { memberPane } from '../../core/view/member-pane.ts';
import type { World } from '../../core/world.ts';
import type { TeamsPort } from '../../operations/ports/teams-port.ts';
import type { TeamState } from '../../relay/config/team-state.ts';
import type { Bundle } from '../../schema/relay/team.ts';
import type { TargetTmux } from '../watching/collectors.ts';

export interface TeamsPortParts {
  readonly state: () => TeamState;
  readonly world: () => World;
  /** The user's own tmux server on a machine and the folder of sockets; null: not reached yet. */
  readonly tmuxOf: (target: string) => TargetTmux | null;
}

export function teamsPort({ state, world, tmuxOf }: TeamsPortParts): TeamsPort {
  const serverOf: TeamsPort['serverOf'] = (bundle) => {
    const tmux = tmuxOf(bundle.target);
    return tmux && { targetId: tmux.targetId, server: socketOf(bundle, tmux) };
  };
  return {
    team: () => state().team,
    problems: () => state().problems,
    serverOf,
    paneOf: (bundle, memberId) => {
      const at = serverOf(bundle);
      return at && memberPane(world(), at, memberId);
    },
  };
}

/** The socket of a bundle's tmux server. People reach a private one by `tmux -L agtmux-NAME`. */
function socketOf({ name, server }: Bundle, { userServer, socketFolder }: TargetTmux): string {
  if (server === 'user') return userServer;
  return server === 'private' ? join(socketFolder, `agtmux-${name}`) : server;
}
