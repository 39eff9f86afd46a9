// The listings: panes, windows and sessions, each with filters, a summary and what is missing.

import { type SessionGrouping, summarizeSessions, summarizeWindows } from '../core/view/summary.ts';
import { representativePane, titleOf } from '../core/view/title.ts';
import type { PaneRecord, World } from '../core/world.ts';
import type { SessionItem, WindowItem } from '../schema/api/panes.ts';
import { ok } from '../schema/outcome.ts';
import {
  countsByTarget,
  countsItem,
  envelope,
  listedPanes,
  refuseFilter,
  sortItems,
} from './answer/listing.ts';
import { crowdedTargets, type PaneView, paneItems, refOf } from './answer/pane-item.ts';
import { type Operation, operation } from './ports/operation.ts';
import type { PanesPort } from './ports/ports.ts';

/** The current world with everything that items are made of. */
export function paneView(panes: PanesPort): PaneView {
  const world = panes.world();
  return { world, readers: panes, crowded: crowdedTargets(world) };
}

const listPanes = operation('list_panes', {
  summary: 'Every pane with its state, its evidence and what in it needs a person.',
  scope: 'read',
  ports: ['panes', 'targets', 'adapters'],
  run: (ports, { sort, include_missing, ...filter }, call) => {
    const refusal = refuseFilter(ports, filter);
    if (refusal) return refusal;
    const view = paneView(ports.panes);
    const panes = listedPanes(view.world, filter, include_missing ?? false);
    const items = panes.flatMap((pane) => paneItems(view, pane, () => true));
    return ok({
      ...envelope({ ...ports, nowMs: call.nowMs() }, filter, panes),
      panes: sortItems(items, sort),
    });
  },
});

const listWindows = operation('list_windows', {
  summary: 'Windows with their top state, and how many in them wait and run.',
  scope: 'read',
  ports: ['panes', 'targets', 'adapters'],
  run: (ports, filter, call) => {
    const refusal = refuseFilter(ports, filter);
    if (refusal) return refusal;
    const world = ports.panes.world();
    const panes = listedPanes(world, filter);
    const windows = summarizeWindows(panes).map(
      (window): WindowItem => ({
        identity: {
          target: window.targetId,
          server: window.server,
          session_name: window.sessionName,
          window_id: window.windowId,
          window_index: window.windowIndex,
        },
        window_name: window.windowName,
        panes: window.panes,
        ...countsItem(window),
        top_state: window.topState,
        waiting: window.waiting,
        running: window.running,
      }),
    );
    return ok({ ...envelope({ ...ports, nowMs: call.nowMs() }, filter, panes), windows });
  },
});

const listSessions = operation('list_sessions', {
  summary: 'Sessions with their counts, each on its own target or merged by name.',
  scope: 'read',
  ports: ['panes', 'targets', 'adapters'],
  run: (ports, { group_by = 'target-session', ...filter }, call) => {
    const refusal = refuseFilter(ports, filter);
    if (refusal) return refusal;
    const view = paneView(ports.panes);
    const panes = listedPanes(view.world, filter);
    const sessions = sessionItems(view, panes, group_by);
    return ok({
      ...envelope({ ...ports, nowMs: call.nowMs() }, { ...filter, group_by }, panes),
      sessions,
    });
  },
});

function sessionItems(
  view: PaneView,
  panes: readonly PaneRecord[],
  grouping: SessionGrouping,
): SessionItem[] {
  const members = membersBySession(panes, grouping);
  return summarizeSessions(panes, grouping).map((session) => {
    const key = sessionKey(grouping, session.targetId, session.server, session.sessionName);
    const own = members.get(key) ?? [];
    const standing = representativePane(view.world, own);
    const top = representativePane(
      view.world,
      own.filter(({ row }) => session.agents === 0 || row.state === session.topState),
    );
    const refIn = (pane: PaneRecord): string => {
      const place = pane.facts?.locations.find(
        ({ sessionName }) => sessionName === session.sessionName,
      );
      return refOf(pane, place, view.crowded);
    };
    return {
      identity: {
        target: session.targetId,
        server: session.server,
        session_name: session.sessionName,
      },
      panes: session.panes,
      ...countsItem(session),
      top_state: session.topState,
      by_target: countsByTarget(session.byTarget),
      representative_ref: standing && refIn(standing),
      title: standing ? titleIn(view.world, standing) : session.sessionName,
      top_pane: top && { ref: refIn(top), title: titleIn(view.world, top) },
    };
  });
}

const titleIn = (world: World, pane: PaneRecord): string =>
  pane.alias ?? titleOf(world, pane).title;

function sessionKey(
  grouping: SessionGrouping,
  target: string | null,
  server: string | null,
  name: string,
): string {
  return JSON.stringify(grouping === 'session-name' ? [name] : [target, server, name]);
}

/** The panes that may represent each session: its agents, or any pane where it has none. */
function membersBySession(
  panes: readonly PaneRecord[],
  grouping: SessionGrouping,
): ReadonlyMap<string, readonly PaneRecord[]> {
  const groups = new Map<string, PaneRecord[]>();
  for (const pane of panes) {
    const { facts, targetId } = pane;
    if (!facts || pane.goneAtMs !== null) continue;
    for (const { sessionName } of facts.locations) {
      const key = sessionKey(grouping, targetId, facts.server, sessionName);
      const group = groups.get(key);
      if (!group) groups.set(key, [pane]);
      else if (group.at(-1) !== pane) group.push(pane);
    }
  }
  for (const [key, group] of groups) {
    const agents = group.filter(({ row }) => row.agent !== null);
    if (agents.length > 0) groups.set(key, agents);
  }
  return groups;
}

export const paneOperations: readonly Operation[] = [listPanes, listWindows, listSessions];
