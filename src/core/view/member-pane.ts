// The pane of a member of a team: the active one of the session that has the member's name.

import type { TargetId } from '../../schema/ids.ts';
import type { PaneRecord, World } from '../world.ts';

/** The tmux server of a bundle. */
export interface MemberServer {
  readonly targetId: TargetId;
  readonly server: string;
}

/** Every pane of the session. */
export function memberPanes(
  world: World,
  { targetId, server }: MemberServer,
  memberId: string,
): readonly PaneRecord[] {
  return [...world.panes.values()].filter(
    ({ facts, goneAtMs }) =>
      goneAtMs === null &&
      facts?.targetId === targetId &&
      facts.server === server &&
      facts.locations.some(({ sessionName }) => sessionName === memberId),
  );
}

/** Null: there is no such session. An agent goes before the pane that is only the active one. */
export function memberPane(world: World, at: MemberServer, memberId: string): PaneRecord | null {
  const panes = memberPanes(world, at, memberId);
  const isActive = ({ facts }: PaneRecord): boolean =>
    facts?.locations.some((place) => place.active && place.sessionName === memberId) ?? false;
  const agents = panes.filter(({ row }) => row.presence === 'managed');
  return agents.find(isActive) ?? agents[0] ?? panes.find(isActive) ?? panes[0] ?? null;
}
