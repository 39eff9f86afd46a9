// The names by which a pane can be typed, and the panes that a name means: the short forms of
// references, as tables print them. What more than one or no pane means is resolve-ref.ts.

import type { RefCandidate } from '../../schema/outcome.ts';
import type { PaneLocation } from '../../schema/pane.ts';
import { nearest } from '../../text/nearest-word.ts';
import { formatReference, isAt, isServer, socketName } from '../identity/reference.ts';
import type { PaneRecord, World } from '../world.ts';
import { titleOf } from './title.ts';

/** More than fit on a screen help nobody. */
const CANDIDATES_MAX = 12;

/** Every live pane that a name means exactly, each once. */
export function panesMeantBy(world: World, name: string): readonly PaneRecord[] {
  const live = [...world.panes.values()].filter(({ goneAtMs }) => goneAtMs === null);
  const found = new Set(panesCalled(live, name));
  const slash = name.indexOf('/');
  if (slash > 0) {
    const there = panesAt(world, live, name.slice(0, slash));
    for (const pane of panesCalled(there, name.slice(slash + 1))) found.add(pane);
  }
  return [...found];
}

/** The panes of `target` or `target+server`; none where no target has that name. */
function panesAt(world: World, panes: readonly PaneRecord[], place: string): readonly PaneRecord[] {
  const { target, server } = splitPlace(place);
  return panes.filter(
    ({ targetId, facts }) =>
      (targetId === target || world.targets.get(targetId)?.name === target) &&
      (server === null || (facts !== null && isServer(facts, server))),
  );
}

/** `local+work` as target and server; a target's name has no plus sign. */
export function splitPlace(place: string): { target: string; server: string | null } {
  const plus = place.indexOf('+');
  return plus < 0
    ? { target: place, server: null }
    : { target: place.slice(0, plus), server: place.slice(plus + 1) };
}

function panesCalled(panes: readonly PaneRecord[], name: string): readonly PaneRecord[] {
  const named = panes.filter(
    ({ alias, facts, row }) =>
      alias === name ||
      facts?.paneId === name ||
      row.runtimeId === name ||
      (row.presence === 'managed' && row.agent === name),
  );
  const inSession = panes.filter((pane) => isShownAt(pane, (each) => isSession(each, name)));
  return [...named, ...agentsOr(inSession), ...panesInWindow(panes, name)];
}

/** `session:window.pane` and `session:window`. tmux allows no colon in the name of a session. */
function panesInWindow(panes: readonly PaneRecord[], name: string): readonly PaneRecord[] {
  const colon = name.indexOf(':');
  if (colon < 1) return [];
  const session = name.slice(0, colon);
  const rest = name.slice(colon + 1);
  // The name of a window may have dots: only the last one can be followed by a pane.
  const dot = rest.lastIndexOf('.');
  const [window, pane] = dot < 0 ? [rest, null] : [rest.slice(0, dot), rest.slice(dot + 1)];
  const inSession = panes.filter((each) => isShownAt(each, (at) => isSession(at, session)));
  const exact = inSession.filter(
    ({ facts }) =>
      pane !== null &&
      facts?.locations.some(
        (at) =>
          isSession(at, session) &&
          isAt(at, facts.paneId, { session: at.sessionName, window, pane }),
      ),
  );
  const inWindow = inSession.filter((each) =>
    isShownAt(each, (at) => isSession(at, session) && isWindow(at, rest)),
  );
  return [...exact, ...agentsOr(inWindow)];
}

/** The agents among the panes; all panes where none has an agent. */
function agentsOr(panes: readonly PaneRecord[]): readonly PaneRecord[] {
  const agents = panes.filter(({ row }) => row.presence === 'managed');
  return agents.length > 0 ? agents : panes;
}

const isShownAt = ({ facts }: PaneRecord, test: (place: PaneLocation) => boolean): boolean =>
  facts?.locations.some(test) ?? false;

/** tmux turns dots in the name of a session into underscores; people type the dots. */
const isSession = ({ sessionName, sessionId }: PaneLocation, name: string): boolean =>
  sessionName === name || sessionId === name || sessionName === name.replaceAll('.', '_');

const isWindow = ({ windowId, windowIndex, windowName }: PaneLocation, name: string): boolean =>
  windowId === name || String(windowIndex) === name || windowName === name;

/** What to type for the first of these panes. */
export function candidatesOf(world: World, panes: readonly PaneRecord[]): readonly RefCandidate[] {
  return panes.slice(0, CANDIDATES_MAX).map((pane) => ({
    ref: nameToType(world, pane),
    agent: pane.row.agent,
    state: pane.row.state,
    title: pane.alias ?? titleOf(world, pane).title,
  }));
}

/** The shortest name that means this pane and no other; of a gone one, where it was. */
export function nameToType(world: World, pane: PaneRecord): string {
  const { facts, targetId, runtimeId, alias } = pane;
  const [place] = facts?.locations ?? [];
  if (!facts || !place) {
    if (alias !== undefined && isOnly(world, pane, alias)) return alias;
    return runtimeId === null ? pane.paneKey : formatReference({ kind: 'runtime', runtimeId });
  }
  const { server, paneId } = facts;
  const short = locationName(place);
  if (pane.goneAtMs !== null) return short;
  const shown = world.targets.get(targetId)?.name ?? targetId;
  const names = [short, `${shown}/${short}`, `${shown}+${socketName(server)}/${short}`];
  const { sessionName: session, windowId: window } = place;
  return (
    names.find((name) => isOnly(world, pane, name)) ??
    formatReference({ kind: 'pane', target: targetId, server, session, window, pane: paneId })
  );
}

const isOnly = (world: World, pane: PaneRecord, name: string): boolean => {
  const [found, ...others] = panesMeantBy(world, name);
  return others.length === 0 && found?.paneKey === pane.paneKey;
};

/** `session:window.pane`, by their numbers. */
const locationName = ({ sessionName, windowIndex, paneIndex }: PaneLocation): string =>
  `${sessionName}:${windowIndex}.${paneIndex}`;

/** The name of a pane, session, agent or alias that is nearest to a mistyped one. */
export function nearestName(world: World, text: string): string | undefined {
  const names = new Set<string>();
  for (const { facts, goneAtMs, alias, row } of world.panes.values()) {
    if (goneAtMs !== null) continue;
    if (alias !== undefined) names.add(alias);
    if (row.agent !== null) names.add(row.agent);
    for (const place of facts?.locations ?? []) {
      names.add(place.sessionName).add(locationName(place));
    }
  }
  return nearest(text, [...names]);
}
