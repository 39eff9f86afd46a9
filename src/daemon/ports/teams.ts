// The port of teams: what is declared, where its members are, and what is remembered of bundles.

import { join } from 'node:path';
import { type MemberServer, memberPane } from '../../core/view/member-pane.ts';
import type { World } from '../../core/world.ts';
import type { ServerChoice, TeamFiles, TeamsPort } from '../../operations/ports/teams-port.ts';
import { acpKeyOf } from '../../schema/ids.ts';
import { memberKey } from '../../schema/relay/team.ts';
import type { BundleTable } from '../../store/teams/bundles.ts';
import { LOCAL } from '../daemon-core.ts';
import type { TargetTmux } from '../watching/collectors.ts';

export interface TeamsPortParts {
  readonly nowMs: () => number;
  readonly state: () => TeamFiles;
  readonly fresh: () => TeamFiles;
  readonly world: () => World;
  readonly table: BundleTable;
  /** Of this installation. */
  readonly installId: () => string;
  /** The tmux of a machine; null: not known, or not reached yet. */
  readonly tmuxOf: (target: string) => TargetTmux | null;
  /** Watches a tmux server besides those that are chosen, or no longer. */
  readonly watchServer: (
    server: { readonly targetId: TargetTmux['targetId']; readonly server: string },
    isWatched: boolean,
  ) => void;
  readonly restartsOf?: TeamsPort['restartsOf'];
}

export function teamsPort(parts: TeamsPortParts): TeamsPort {
  const { nowMs, state, world, table, tmuxOf } = parts;
  const heldUntilMs = new Map<string, number>();
  const endsUntilMs = new Map<string, number>();
  const serverOf: TeamsPort['serverOf'] = (bundle) => {
    const tmux = tmuxOf(bundle.target);
    return tmux && { targetId: tmux.targetId, server: socketOf(bundle, tmux) };
  };
  return {
    team: () => state().team,
    problems: () => state().problems,
    fresh: parts.fresh,
    serverOf,
    paneOf: (bundle, memberId) => {
      const member = bundle.members.find(({ id }) => id === memberId);
      if (member?.transport.kind === 'acp') {
        const pane = world().panes.get(acpKeyOf(LOCAL, memberKey(bundle.name, memberId)));
        return pane?.goneAtMs === null ? pane : null;
      }
      const at = serverOf(bundle);
      return at && memberPane(world(), at, memberId);
    },
    ownerOf: (bundle) => `${parts.installId()}/${bundle}`,
    watch: (bundle, isWatched) => {
      const at = serverOf(bundle);
      if (at && (isWatched || bundle.server === 'private')) parts.watchServer(at, isWatched);
    },
    isWanted: (bundle) => table.isWanted(bundle),
    want: (bundle, isWanted) => table.want(bundle, isWanted, nowMs()),
    addFailures: (bundle, failures) =>
      failures.length === 0 ? [] : table.addFailures(bundle, failures, nowMs()),
    failures: (bundle, limit) => ({
      count: table.failureCount(bundle),
      recent: table.failures(bundle, limit),
    }),
    hold: (bundle, forMs) => void heldUntilMs.set(bundle, nowMs() + forMs),
    isHeld: (bundle) => (heldUntilMs.get(bundle) ?? 0) > nowMs(),
    expectEnd: (server, forMs) => void endsUntilMs.set(placeOf(server), nowMs() + forMs),
    isEndExpected: (server) => (endsUntilMs.get(placeOf(server)) ?? 0) > nowMs(),
    restartsOf: parts.restartsOf ?? (() => 0),
  };
}

const placeOf = ({ targetId, server }: MemberServer): string => `${targetId}:${server}`;

/** The socket of a bundle's tmux server. People reach a private one by `tmux -L agtmux-NAME`. */
function socketOf(
  { name, server }: ServerChoice,
  { userServer, socketFolder }: TargetTmux,
): string {
  if (server === 'user') return userServer;
  return server === 'private' ? join(socketFolder, `agtmux-${name}`) : server;
}
