// How tables name panes, windows and targets, so that what they print can be typed: the location
// alone where it is enough, with its target and the name of its tmux server where it is not. Pure.

import type { PaneItem } from '../schema/api/panes.ts';

interface Place {
  readonly target: string;
  readonly server: string | null;
}

/** `session:window.pane`, or that the agent runs without a pane. */
export function locationText(identity: PaneItem['identity']): string {
  if (identity === null) return 'without a pane';
  return `${identity.session_name}:${identity.window_index}.${identity.pane_index}`;
}

/** Names targets: with the name of the socket where one has more than one tmux server. */
export function placeNames(places: readonly Place[]): (place: Place) => string {
  const servers = new Map<string, Set<string>>();
  for (const { target, server } of places) {
    const known = servers.get(target) ?? new Set();
    if (server !== null) known.add(server);
    servers.set(target, known);
  }
  return ({ target, server }) => {
    if (server === null || (servers.get(target)?.size ?? 0) < 2) return target;
    return `${target}+${server.slice(server.lastIndexOf('/') + 1)}`;
  };
}

/** Whether a place is on the target (`vm1`) or the server of it (`local+work`) that was typed. */
export function isAtPlace({ target, server }: Place, typed: string): boolean {
  const plus = typed.indexOf('+');
  if (plus < 0) return typed === target;
  const name = typed.slice(plus + 1);
  const isServer = server !== null && (server === name || server.endsWith(`/${name}`));
  return typed.slice(0, plus) === target && isServer;
}

export const placeOf = ({ identity, target }: PaneItem): Place => ({
  target,
  server: identity?.server ?? null,
});

/** What to type for a pane: its location, after its target where two panes have the same one. */
export function typedNames(panes: readonly PaneItem[]): (pane: PaneItem) => string {
  const placeName = placeNames(panes.map(placeOf));
  const keys = new Map<string, Set<string>>();
  for (const { identity, pane_key } of panes) {
    const location = locationText(identity);
    keys.set(location, (keys.get(location) ?? new Set()).add(pane_key));
  }
  return (pane) => {
    const location = locationText(pane.identity);
    const isShared = pane.identity !== null && (keys.get(location)?.size ?? 0) > 1;
    return isShared ? `${placeName(placeOf(pane))}/${location}` : location;
  };
}
