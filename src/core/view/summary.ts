// Rollups: counts by state, agent, target, session and window. A pane counts once in a
// rollup however many sessions show it; panes without an agent are not counted by state. An agent
// that crashed counts as long as its pane shows that.

import type { TargetId } from '../../schema/ids.ts';
import type { PaneLocation } from '../../schema/pane.ts';
import { precedenceOf, type State } from '../../schema/state.ts';
import { countNeeds, type NeedCounts } from '../../text/need.ts';
import { states } from '../../text/state-words.ts';
import type { PaneRecord } from '../world.ts';

export type StateCounts = { readonly [Each in State]: number };

export interface Counts {
  /** Panes with an agent, or with one that has just ended. */
  readonly agents: number;
  readonly byState: StateCounts;
  /** Of all panes: a crash is where an agent was. */
  readonly needs: NeedCounts;
}

export interface GlobalSummary extends Counts {
  /** Paneless agents do not count. */
  readonly panes: number;
  readonly byAgent: Readonly<Record<string, number>>;
  readonly byTarget: Readonly<Record<string, Counts>>;
}

/** Everything there is, once. */
export function summarize(panes: Iterable<PaneRecord>): GlobalSummary {
  const live = [...panes].filter(isPresent);
  const byAgent: Record<string, number> = Object.create(null);
  for (const { row } of live) {
    if (row.agent !== null) byAgent[row.agent] = (byAgent[row.agent] ?? 0) + 1;
  }
  const paneCount = live.filter(({ facts }) => facts !== null).length;
  return { panes: paneCount, ...count(live), byAgent, byTarget: countByTarget(live) };
}

export type SessionGrouping = 'target-session' | 'session-name';

export interface SessionSummary extends Counts {
  readonly sessionName: string;
  /** Null when sessions of one name were merged across targets. */
  readonly targetId: TargetId | null;
  readonly server: string | null;
  readonly panes: number;
  readonly topState: State;
  readonly byTarget: Readonly<Record<string, Counts>>;
}

/** Sessions, each on its own target, or merged by name. */
export function summarizeSessions(
  panes: Iterable<PaneRecord>,
  grouping: SessionGrouping,
): readonly SessionSummary[] {
  const groups = groupBy(panes, (pane, location) =>
    grouping === 'session-name'
      ? [location.sessionName]
      : [pane.targetId, pane.facts?.server ?? '', location.sessionName],
  );
  return groups.map(({ parts, members }) => {
    const isMerged = grouping === 'session-name';
    const [targetId, server] = isMerged ? [null, null] : parts;
    return {
      sessionName: parts.at(-1) ?? '',
      targetId: (targetId ?? null) as TargetId | null,
      server: server ?? null,
      panes: members.length,
      ...count(members),
      topState: topState(members),
      byTarget: countByTarget(members),
    };
  });
}

export interface WindowSummary extends Counts {
  readonly targetId: TargetId;
  readonly server: string;
  readonly sessionName: string;
  readonly windowId: string;
  readonly windowIndex: number;
  readonly windowName: string;
  readonly panes: number;
  readonly topState: State;
  readonly waiting: number;
  readonly running: number;
}

/** Windows with their top state and how many in them wait and run. */
export function summarizeWindows(panes: Iterable<PaneRecord>): readonly WindowSummary[] {
  const groups = groupBy(panes, (pane, location) => [
    pane.targetId,
    pane.facts?.server ?? '',
    location.sessionName,
    location.windowId,
    String(location.windowIndex),
    location.windowName,
  ]);
  return groups.map(({ parts, members }) => {
    const counts = count(members);
    const { waiting_approval, waiting_input, running } = counts.byState;
    const [targetId = '', server = '', sessionName = '', windowId = '', index = '', ...rest] =
      parts;
    const [windowName = ''] = rest;
    return {
      targetId: targetId as TargetId,
      server,
      sessionName,
      windowId,
      windowIndex: Number(index),
      windowName,
      panes: members.length,
      ...counts,
      topState: topState(members),
      waiting: waiting_approval + waiting_input,
      running,
    };
  });
}

const isPresent = (pane: PaneRecord): boolean => pane.goneAtMs === null;

function count(panes: readonly PaneRecord[]): Counts {
  const byState = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  let agents = 0;
  for (const { row } of panes) {
    if (row.agent === null) continue;
    agents += 1;
    byState[row.state] += 1;
  }
  return { agents, byState, needs: countNeeds(panes.map(({ row }) => row)) };
}

function countByTarget(panes: readonly PaneRecord[]): Readonly<Record<string, Counts>> {
  const byTarget = new Map<string, PaneRecord[]>();
  for (const pane of panes) {
    const members = byTarget.get(pane.targetId) ?? [];
    members.push(pane);
    byTarget.set(pane.targetId, members);
  }
  return Object.fromEntries([...byTarget].map(([target, members]) => [target, count(members)]));
}

/** The highest state by precedence among the agents; unknown where there is none. */
function topState(panes: readonly PaneRecord[]): State {
  const agents = panes.filter(({ row }) => row.agent !== null);
  return agents.reduce<State>(
    (top, { row }) => (precedenceOf(row.state) < precedenceOf(top) ? row.state : top),
    'unknown',
  );
}

interface Group {
  readonly parts: readonly string[];
  readonly members: readonly PaneRecord[];
}

/** Groups by the places that show a pane; within one group a pane is a member once. */
function groupBy(
  panes: Iterable<PaneRecord>,
  partsOf: (pane: PaneRecord, location: PaneLocation) => readonly string[],
): readonly Group[] {
  const groups = new Map<string, { parts: readonly string[]; members: Set<PaneRecord> }>();
  for (const pane of panes) {
    if (!isPresent(pane)) continue;
    for (const location of pane.facts?.locations ?? []) {
      const parts = partsOf(pane, location);
      const key = JSON.stringify(parts);
      const group = groups.get(key) ?? { parts, members: new Set() };
      group.members.add(pane);
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ parts, members }) => ({ parts, members: [...members] }));
}
