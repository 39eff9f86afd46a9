// The list as sections: agents that need a person, pinned panes, then the rest in groups. A pane is
// in the first section that it fits; in a group it has a row for each window that shows it. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';
import { byAttention, byPlace, byText } from '../../schema/order/order.ts';
import { needsPerson } from '../../text/need.ts';
import { states } from '../../text/state-words.ts';
import type { Model } from '../model.ts';
import type { OrderBy } from '../preferences.ts';
import { filterWords, isWorker, matchesFilter } from './filter-rows.ts';
import { groupOf, type PaneGroup, targetsWithServers } from './group-panes.ts';

export interface ListRow {
  /** Made of the pane and the window. */
  readonly key: string;
  readonly pane: PaneItem;
}

export interface Section {
  readonly kind: 'needs' | 'pinned' | 'group';
  readonly key: string;
  /** Foreign text. */
  readonly title: string;
  readonly rows: readonly ListRow[];
  readonly isCollapsed: boolean;
}

function rowsOf(pane: PaneItem): readonly ListRow[] {
  if (pane.locations.length === 0) return [{ key: pane.pane_key, pane }];
  return pane.locations.map((identity) => ({
    key: [pane.pane_key, identity.session_id, identity.window_id].join('\n'),
    pane: { ...pane, identity },
  }));
}

/** Of a pane that is shown in several windows, the first. */
const firstRow = (pane: PaneItem): ListRow => rowsOf(pane)[0] ?? { key: pane.pane_key, pane };

type ListSource = Pick<Model, 'panes' | 'filter' | 'preferences' | 'settings' | 'home'>;

// Sections are used many times per frame. Their parts are replaced, never edited, so the last
// sections of the same parts are kept.
const lastSections = new WeakMap<
  Model['panes'],
  { readonly source: ListSource; readonly sections: readonly Section[] }
>();

/** All sections that have rows, in the order of the list. */
export function listSections(source: ListSource): readonly Section[] {
  const { panes, filter, preferences, settings } = source;
  const last = lastSections.get(panes);
  const before = last?.source;
  const isSame =
    before?.filter === filter &&
    before.preferences === preferences &&
    before.settings === settings &&
    before.home === source.home;
  if (last && isSame) return last.sections;
  const sections = buildSections({ panes, filter, preferences, settings, home: source.home });
  lastSections.set(panes, { source, sections });
  return sections;
}

function buildSections(source: ListSource): readonly Section[] {
  const { panes, filter, preferences, settings } = source;
  const words = filterWords(filter.text);
  const listed = [...panes.values()].filter(
    (pane) => pane.presence !== 'missing' && matchesFilter(pane, filter, words),
  );
  const pins = new Set(preferences.pinned);
  const isPinned = ({ pane_key }: PaneItem): boolean => pins.has(pane_key);
  const isHidden = (pane: PaneItem): boolean =>
    preferences.areWorkersHidden && isWorker(pane, settings.workers);
  const rest = listed.filter((pane) => !needsPerson(pane));
  const flat = [
    flatSection('needs', 'needs you', listed.filter(needsPerson).toSorted(byWait)),
    flatSection('pinned', 'pinned', rest.filter(isPinned).toSorted(comparisons['name'])),
  ].filter(({ rows }) => rows.length > 0);
  const grouped = rest.filter((pane) => !isPinned(pane) && !isHidden(pane));
  const collapsed = new Set(preferences.collapsed);
  return [...flat, ...groupSections(grouped, source)].map((section) => ({
    ...section,
    isCollapsed: section.kind !== 'needs' && collapsed.has(section.key),
  }));
}

const flatSection = (
  kind: 'needs' | 'pinned',
  title: string,
  panes: readonly PaneItem[],
): Section => ({ kind, key: kind, title, rows: panes.map(firstRow), isCollapsed: false });

/** Since when a pane needs a person. */
export const waitingSince = ({ attention, since }: PaneItem): string => attention.since ?? since;

/** The longest wait first. */
const byWait = (a: PaneItem, b: PaneItem): number =>
  byText(waitingSince(a), waitingSince(b)) || byPlace(a, b);

const agentsFirst = (a: PaneItem, b: PaneItem): number =>
  Number(b.agent !== null) - Number(a.agent !== null);

const comparisons: Readonly<Record<OrderBy, (a: PaneItem, b: PaneItem) => number>> = {
  attention: byAttention,
  age: (a, b) => agentsFirst(a, b) || byText(a.since, b.since) || byPlace(a, b),
  name: byPlace,
};

function groupSections(
  panes: readonly PaneItem[],
  { panes: all, preferences, home }: ListSource,
): readonly Section[] {
  const { groupBy, orderBy } = preferences;
  const context = { home, crowded: targetsWithServers(all) };
  const groups = new Map<string, { readonly group: PaneGroup; readonly rows: ListRow[] }>();
  for (const row of panes.flatMap(rowsOf)) {
    const group = groupOf(row.pane, groupBy, context);
    const known = groups.get(group.key);
    if (known) known.rows.push(row);
    else groups.set(group.key, { group, rows: [row] });
  }
  const compare = comparisons[orderBy];
  return [...groups.values()]
    .map(({ group, rows }) => ({
      group,
      rows: rows.toSorted((a, b) => compare(a.pane, b.pane) || byText(a.key, b.key)),
    }))
    .toSorted((a, b) => a.group.rank - b.group.rank || compareGroups(a, b, orderBy))
    .map(({ group: { key, title }, rows }) => {
      return { kind: 'group', key, title, rows, isCollapsed: false };
    });
}

interface SortedGroup {
  readonly group: PaneGroup;
  readonly rows: readonly ListRow[];
}

/** Groups with agents come first; with the order by attention the most urgent is on top. */
function compareGroups(a: SortedGroup, b: SortedGroup, orderBy: OrderBy): number {
  const hasAgent = ({ rows }: SortedGroup): number =>
    Number(rows.some(({ pane }) => pane.agent !== null));
  const byName = byText(a.group.title, b.group.title);
  if (hasAgent(a) !== hasAgent(b)) return hasAgent(b) - hasAgent(a);
  const [firstA, firstB] = [a.rows[0]?.pane, b.rows[0]?.pane];
  if (orderBy !== 'attention' || !firstA || !firstB) return byName;
  const [newsA, newsB] = [firstA, firstB].map(({ attention }) => attention.kinds.length > 0);
  if (newsA !== newsB) return newsA ? -1 : 1;
  return newsA ? byAttention(firstA, firstB) : byName;
}

/** The number of agents of a section in each state, the most urgent first, without zeros. */
export function stateCounts({ rows }: Section): readonly (readonly [string, number])[] {
  const agents = rows.filter(({ pane }) => pane.agent !== null);
  return states
    .map((state) => [state, agents.filter(({ pane }) => pane.state === state).length] as const)
    .filter(([, count]) => count > 0);
}

/** How many panes of workers are hidden. */
export function hiddenWorkerCount({ panes, preferences, settings }: ListSource): number {
  if (!preferences.areWorkersHidden) return 0;
  const isHidden = (pane: PaneItem): boolean =>
    pane.presence !== 'missing' && !needsPerson(pane) && isWorker(pane, settings.workers);
  return [...panes.values()].filter(
    (pane) => isHidden(pane) && !preferences.pinned.includes(pane.pane_key),
  ).length;
}
