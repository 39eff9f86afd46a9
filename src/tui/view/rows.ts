// The rows of the list: the panes that match the filter, grouped by target and session. Groups that
// need a person come first, and rows are sorted by attention. Pure. A pane has a row for each
// window that shows it.

import { byAttention, byPlace, byText, isAsking } from '../../schema/api/order.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { states } from '../../text/state-words.ts';
import type { Model, RowFilter } from '../model.ts';

export interface ListRow {
  /** Made of the pane and the window. */
  readonly key: string;
  readonly pane: PaneItem;
}

export interface SessionGroup {
  readonly key: string;
  readonly target: string;
  /** Only where the target has more than one: the last part of its socket's path. */
  readonly server: string | null;
  /** Null: agents without a pane. */
  readonly session: string | null;
  readonly rows: readonly ListRow[];
}

/** One line of the list. */
export type ListEntry =
  | { readonly kind: 'group'; readonly group: SessionGroup }
  | { readonly kind: 'row'; readonly row: ListRow };

/** Whether the pane has a request for a person. */
export const needsPerson = ({ attention, presence }: PaneItem): boolean =>
  presence !== 'missing' && isAsking(attention.kinds);

function rowsOf(pane: PaneItem): readonly ListRow[] {
  if (pane.presence === 'missing') return [];
  if (pane.locations.length === 0) return [{ key: pane.pane_key, pane }];
  return pane.locations.map((identity) => ({
    key: [pane.pane_key, identity.session_id, identity.window_id].join('\n'),
    pane: { ...pane, identity },
  }));
}

function matches(
  pane: PaneItem,
  { attentionOnly, agentsOnly }: RowFilter,
  words: string[],
): boolean {
  if (agentsOnly && pane.presence !== 'managed') return false;
  if (attentionOnly && pane.attention.kinds.length === 0) return false;
  if (words.length === 0) return true;
  const { identity } = pane;
  const text = [
    pane.presence === 'managed' ? pane.state : 'no agent',
    ...[pane.reason_code, pane.agent, pane.title, pane.git_branch, pane.current_path],
    ...[pane.target, pane.current_cmd, pane.activity.prompt, ...pane.attention.kinds],
    ...(identity ? [identity.session_name, identity.window_name, identity.pane_id] : []),
  ].join('\n');
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

type ListSource = Pick<Model, 'panes' | 'filter'>;

// Groups are used many times per frame. Panes and filter are replaced, never edited, so the last
// groups of the same two values are kept.
const lastGroups = new WeakMap<
  Model['panes'],
  { filter: RowFilter; groups: readonly SessionGroup[] }
>();

/** The groups of all panes that match the filter, in the order of the list. */
export function groupPanes(listed: ListSource): readonly SessionGroup[] {
  const { panes, filter } = listed;
  const last = lastGroups.get(panes);
  if (last?.filter === filter) return last.groups;
  const groups = buildGroups(listed);
  lastGroups.set(panes, { filter, groups });
  return groups;
}

function buildGroups({ panes, filter }: ListSource): readonly SessionGroup[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const servers = serversOf(panes);
  const groups = new Map<string, { first: PaneItem; rows: ListRow[] }>();
  for (const pane of panes.values()) {
    if (!matches(pane, filter, words)) continue;
    for (const row of rowsOf(pane)) {
      const key = groupKey(row.pane);
      const group = groups.get(key);
      if (group) group.rows.push(row);
      else groups.set(key, { first: row.pane, rows: [row] });
    }
  }
  return [...groups]
    .map(([key, { first, rows }]) => ({
      ...describeGroup(first, servers),
      key,
      rows: rows.toSorted((a, b) => byAttention(a.pane, b.pane) || byText(a.key, b.key)),
    }))
    .toSorted(compareGroups);
}

function groupKey({ target, identity }: PaneItem): string {
  return [target, identity?.server ?? '', identity?.session_id ?? ''].join('\n');
}

/** Groups that need attention come first, the most urgent on top; the others by name. */
function compareGroups(a: SessionGroup, b: SessionGroup): number {
  const [firstA, firstB] = [a.rows[0]?.pane, b.rows[0]?.pane];
  if (!firstA || !firstB) return 0;
  const [asksA, asksB] = [firstA, firstB].map((pane) => pane.attention.kinds.length > 0);
  if (asksA !== asksB) return asksA ? -1 : 1;
  const [agentsA, agentsB] = [firstA, firstB].map(({ presence }) => presence === 'managed');
  if (agentsA !== agentsB) return agentsA ? -1 : 1;
  return asksA ? byAttention(firstA, firstB) : byPlace(firstA, firstB);
}

function serversOf(panes: Model['panes']): ReadonlyMap<string, ReadonlySet<string>> {
  const servers = new Map<string, Set<string>>();
  for (const { target, identity } of panes.values()) {
    if (!identity) continue;
    const known = servers.get(target);
    if (known) known.add(identity.server);
    else servers.set(target, new Set([identity.server]));
  }
  return servers;
}

function describeGroup(
  { target, identity }: PaneItem,
  servers: ReadonlyMap<string, ReadonlySet<string>>,
): Pick<SessionGroup, 'target' | 'server' | 'session'> {
  const hasManyServers = (servers.get(target)?.size ?? 0) > 1;
  const path = identity?.server ?? '';
  return {
    target,
    server: hasManyServers && identity ? path.slice(path.lastIndexOf('/') + 1) : null,
    session: identity?.session_name ?? null,
  };
}

/** The lines of the list: each group under its heading. */
export const listEntries = (groups: readonly SessionGroup[]): readonly ListEntry[] =>
  groups.flatMap((group): readonly ListEntry[] => [
    { kind: 'group', group },
    ...group.rows.map((row): ListEntry => ({ kind: 'row', row })),
  ]);

export const rowsOfGroups = (groups: readonly SessionGroup[]): readonly ListRow[] =>
  groups.flatMap(({ rows }) => rows);

/** The number of agents of a group in each state, the most urgent first; zeros are left out. */
export function stateCounts({ rows }: SessionGroup): readonly (readonly [string, number])[] {
  const managed = rows.filter(({ pane }) => pane.presence === 'managed');
  return states
    .map((state) => [state, managed.filter(({ pane }) => pane.state === state).length] as const)
    .filter(([, count]) => count > 0);
}
