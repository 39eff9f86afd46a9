// The fleet as a list: who needs a person on top, the longest wait first; the rest in groups. And
// what a filter leaves of it. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';
import { byAttention, byPlace, byText } from '../../schema/order/order.ts';
import { needsPerson } from '../../text/need.ts';
import { states } from '../../text/state-words.ts';
import type { Fleet } from './fleet.ts';
import { paneStateWords, shownSince, stateWord } from './pane-words.ts';

export const listGroupings = ['state', 'session', 'target', 'agent'] as const;
export type ListGrouping = (typeof listGroupings)[number];

/** Empty texts: no filter. */
export interface FleetFilter {
  readonly text: string;
  /** A state, `needs` (who needs a person) or `none` (no agent). */
  readonly state: string;
  readonly target: string;
  readonly agent: string;
}

export const noFilter: FleetFilter = { text: '', state: '', target: '', agent: '' };

export const isFiltered = (filter: FleetFilter): boolean =>
  Object.values(filter).some((value) => value !== '');

export interface FleetSection {
  readonly key: string;
  /** Foreign text. */
  readonly title: string;
  readonly isNeeds: boolean;
  readonly panes: readonly PaneItem[];
}

export interface FleetListOptions {
  readonly filter: FleetFilter;
  readonly grouping: ListGrouping;
  /** Also panes without an agent. */
  readonly withShells: boolean;
}

/** The sections that have panes, in their order. */
export function fleetSections(fleet: Fleet, options: FleetListOptions): readonly FleetSection[] {
  const { filter, grouping, withShells } = options;
  const words = wordsOf(filter.text);
  const listed = [...fleet.panes.values()].filter(
    (pane) =>
      pane.presence !== 'missing' &&
      (withShells || pane.agent !== null || needsPerson(pane) || filter.state === 'none') &&
      passes(pane, filter, words),
  );
  const needs: FleetSection = {
    ...{ key: 'needs', title: 'needs you', isNeeds: true },
    panes: listed.filter(needsPerson).toSorted(byWait),
  };
  const groups = new Map<string, PaneItem[]>();
  for (const pane of listed.filter((each) => !needsPerson(each))) {
    const key = groupKey(pane, grouping);
    const group = groups.get(key);
    if (group) group.push(pane);
    else groups.set(key, [pane]);
  }
  const rest = [...groups].map(([key, panes]): FleetSection => {
    const [first] = panes;
    const title = first ? groupTitle(first, grouping) : key;
    return {
      key: `${grouping}\n${key}`,
      title,
      isNeeds: false,
      panes: panes.toSorted(byAttention),
    };
  });
  const sections = [needs, ...rest.toSorted((a, b) => compareGroups(a, b, grouping))];
  return sections.filter(({ panes }) => panes.length > 0);
}

/** All panes of the list from top to bottom, for keys that walk it. */
export const listOrder = (sections: readonly FleetSection[]): readonly PaneItem[] =>
  sections.flatMap(({ panes }) => panes);

export interface FilterChoice {
  readonly value: string;
  readonly title: string;
  readonly count: number;
}

/** What the filter by state offers: who needs a person, each state that is there, no agent. */
export function stateChoices({ panes }: Fleet): readonly FilterChoice[] {
  const all = [...panes.values()].filter(({ presence }) => presence !== 'missing');
  const agents = all.filter(({ agent }) => agent !== null);
  const countOf = (test: (pane: PaneItem) => boolean): number => all.filter(test).length;
  const byState = states.map((state) => ({
    ...{ value: state, title: stateWord(state) },
    count: agents.filter((pane) => pane.state === state).length,
  }));
  return [
    { value: 'needs', title: 'need you', count: countOf(needsPerson) },
    ...byState,
    { value: 'none', title: 'no agent', count: countOf(({ agent }) => agent === null) },
  ].filter(({ value, count }) => count > 0 || value === 'needs');
}

export const targetChoices = ({ panes }: Fleet): readonly FilterChoice[] =>
  choices([...panes.values()].map(({ target }) => target));

export const agentChoices = ({ panes }: Fleet): readonly FilterChoice[] =>
  choices([...panes.values()].flatMap(({ agent }) => (agent === null ? [] : [agent])));

function choices(values: readonly string[]): readonly FilterChoice[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, title: value, count }))
    .toSorted((a, b) => byText(a.title, b.title));
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

function passes(pane: PaneItem, filter: FleetFilter, words: readonly string[]): boolean {
  const { state, target, agent } = filter;
  if (target !== '' && pane.target !== target) return false;
  if (agent !== '' && pane.agent !== agent) return false;
  if (state === 'needs' && !needsPerson(pane)) return false;
  if (state === 'none' && pane.agent !== null) return false;
  const isState = state === '' || state === 'needs' || state === 'none';
  if (!isState && (pane.agent === null || pane.state !== state)) return false;
  if (words.length === 0) return true;
  const text = searchedText(pane);
  return words.every((word) => text.includes(word));
}

function searchedText(pane: PaneItem): string {
  const { identity, attention, activity } = pane;
  return [
    ...[paneStateWords(pane), pane.state, pane.reason_code, pane.agent, pane.alias, pane.title],
    ...[pane.git_branch, pane.current_path, pane.target, pane.current_cmd, activity.prompt],
    ...(identity ? [identity.session_name, identity.window_name, identity.pane_id] : []),
    ...attention.kinds,
    ...attention.requests.flatMap(({ detail }) => [detail?.command, detail?.text]),
  ]
    .join('\n')
    .toLowerCase();
}

function groupKey(pane: PaneItem, grouping: ListGrouping): string {
  switch (grouping) {
    case 'state':
      return pane.agent === null ? 'none' : pane.state;
    case 'session':
      return [pane.target, pane.identity?.server, pane.identity?.session_name].join('\n');
    case 'target':
      return pane.target;
    case 'agent':
      return pane.agent ?? 'none';
  }
}

function groupTitle(pane: PaneItem, grouping: ListGrouping): string {
  const { agent, target, identity } = pane;
  if (grouping === 'target') return target;
  if (grouping === 'session') {
    const session = identity?.session_name ?? 'without a pane';
    return target === 'local' ? session : `${target}/${session}`;
  }
  if (agent === null) return 'no agent';
  return grouping === 'agent' ? agent : stateWord(pane.state);
}

/** Where groups are states, by what they mean; else the one with the most urgent pane first. */
function compareGroups(a: FleetSection, b: FleetSection, grouping: ListGrouping): number {
  const [first, second] = [a.panes[0], b.panes[0]];
  if (!first || !second) return 0;
  if (grouping === 'state') return rankOf(first) - rankOf(second);
  const hasAgent = (pane: PaneItem): number => Number(pane.agent === null);
  return hasAgent(first) - hasAgent(second) || byText(a.title, b.title);
}

const rankOf = ({ agent, state }: PaneItem): number =>
  agent === null ? states.length : states.indexOf(state);

const byWait = (a: PaneItem, b: PaneItem): number =>
  byText(shownSince(a), shownSince(b)) || byPlace(a, b);
