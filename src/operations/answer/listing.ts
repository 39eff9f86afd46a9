// Which panes a listing shows, in which order, and what it says about itself: filters, sorting and
// the envelope that every listing shares. Pure.

import { isServer } from '../../core/identity/reference.ts';
import { splitPlace } from '../../core/view/pane-names.ts';
import { type Counts, summarize } from '../../core/view/summary.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type {
  CountsItem,
  ListFilter,
  PaneItem,
  SortKey,
  SummaryItem,
} from '../../schema/api/panes.ts';
import type { TargetId } from '../../schema/ids.ts';
import { byAttention, byPlace, byText, type Comparison } from '../../schema/order/order.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { PaneLocation } from '../../schema/pane.ts';
import { precedenceOf } from '../../schema/state.ts';
import { needsPerson, sumOfNeeds } from '../../text/need.ts';
import type { Ports } from '../ports/ports.ts';
import { refuseUnknownAgent, refuseUnknownTarget } from './known-names.ts';
import { header } from './pane-item.ts';

/** Whether a pane passes every filter that is about the pane and not about its locations. */
export function passesFilter(world: World, pane: PaneRecord, filter: ListFilter): boolean {
  const { row } = pane;
  const [target] = splitTargetSession(filter.target_session);
  return (
    (filter.target === undefined || isTarget(world, pane, filter.target)) &&
    (target === null || isTarget(world, pane, target)) &&
    (filter.state === undefined ||
      (row.agent !== null && [filter.state].flat().includes(row.state))) &&
    (filter.agent === undefined || row.agent === filter.agent) &&
    (filter.needs_action === undefined || needsPerson(row) === filter.needs_action)
  );
}

function passesSessionFilter(place: PaneLocation, filter: ListFilter): boolean {
  const [, session] = splitTargetSession(filter.target_session);
  return (
    (filter.session === undefined || place.sessionName === filter.session) &&
    (session === null || place.sessionName === session)
  );
}

/** The panes that pass a filter, each with only the locations that pass it too. */
export function listedPanes(
  world: World,
  filter: ListFilter,
  isMissingListed = false,
): readonly PaneRecord[] {
  const bySession = filter.session !== undefined || filter.target_session !== undefined;
  const listed: PaneRecord[] = [];
  for (const pane of world.panes.values()) {
    if (pane.goneAtMs !== null && !isMissingListed) continue;
    if (!passesFilter(world, pane, filter)) continue;
    if (!bySession) {
      listed.push(pane);
      continue;
    }
    const places =
      pane.facts?.locations.filter((place) => passesSessionFilter(place, filter)) ?? [];
    if (pane.facts && places.length > 0) {
      listed.push({ ...pane, facts: { ...pane.facts, locations: places } });
    }
  }
  return listed;
}

/** Whether a pane is on a target (`vm1`) or on one server of it (`local+work`). */
function isTarget(world: World, { targetId, facts }: PaneRecord, place: string): boolean {
  const { target, server } = splitPlace(place);
  if (targetId !== target && world.targets.get(targetId)?.name !== target) return false;
  return server === null || (facts !== null && isServer(facts, server));
}

/** A session's name may hold a slash; a target's may not. */
function splitTargetSession(text: string | undefined): readonly [string | null, string | null] {
  if (text === undefined) return [null, null];
  const at = text.indexOf('/');
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

/** Agents, also those that have just ended, before other panes; panes that are gone last. */
const byPresence: Comparison = (a, b) => presenceOrder(a) - presenceOrder(b);
const presenceOrder = ({ presence, agent }: PaneItem): number =>
  presence === 'missing' ? 2 : agent === null ? 1 : 0;

const comparisons: Readonly<Record<SortKey, Comparison>> = {
  attention: byAttention,
  /** Longest in its state first. */
  age: (a, b) => byPresence(a, b) || byText(a.since, b.since) || byPlace(a, b),
  target: byPlace,
  state: (a, b) =>
    byPresence(a, b) ||
    precedenceOf(a.state) - precedenceOf(b.state) ||
    byText(a.since, b.since) ||
    byPlace(a, b),
};

export function sortItems(items: readonly PaneItem[], sort: SortKey = 'attention'): PaneItem[] {
  return items.toSorted(comparisons[sort]);
}

/** Counts over the given panes, each once. */
export function summaryItem(panes: readonly PaneRecord[]): SummaryItem {
  const { panes: count, byAgent, byTarget, ...counts } = summarize(panes);
  return {
    panes: count,
    ...countsItem(counts),
    by_agent: { ...byAgent },
    by_target: countsByTarget(byTarget),
    needs: { ...counts.needs },
  };
}

export const countsItem = ({ agents, byState, needs }: Counts): CountsItem => ({
  agents,
  by_state: byState,
  needs_action: sumOfNeeds(needs),
});

export const countsByTarget = (
  byTarget: Readonly<Record<string, Counts>>,
): Record<string, CountsItem> =>
  Object.fromEntries(
    Object.entries(byTarget).map(([target, counts]) => [target, countsItem(counts)]),
  );

type FilterFields = Readonly<Record<string, unknown>>;

/** The targets or servers that a filter names; it may do so in two ways. */
function wantedPlaces(filter: FilterFields): readonly string[] {
  const [target] = splitTargetSession(filter['target_session'] as string | undefined);
  return [filter['target'], target].filter((each) => typeof each === 'string');
}

/** Why a filter names a target or an agent that does not exist; null for a good one. */
export function refuseFilter(
  { panes, adapters }: Pick<Ports, 'panes' | 'adapters'>,
  filter: FilterFields,
): Outcome<never> | null {
  const world = panes.world();
  for (const place of wantedPlaces(filter)) {
    const refusal = refuseUnknownTarget(world, place);
    if (refusal) return refusal;
  }
  const { agent } = filter;
  const running = [...world.panes.values()].flatMap(({ row }) => row.agent ?? []);
  return typeof agent === 'string' ? refuseUnknownAgent(adapters, agent, running) : null;
}

/** What a listing says about itself: which targets it covers, and which did not answer. */
export function envelope(
  ports: Pick<Ports, 'panes' | 'targets'> & { readonly nowMs: number },
  filter: FilterFields,
  panes: readonly PaneRecord[],
) {
  const wanted = wantedPlaces(filter).map((place) => splitPlace(place).target);
  const requested = [...ports.panes.world().targets.values()]
    .filter(({ targetId, name }) => wanted.every((each) => each === targetId || each === name))
    .map(({ targetId, health }) => ({ targetId, health, ...statusOf(ports.targets, targetId) }));
  const isSilent = ({ health, isNew }: (typeof requested)[number]) => health === 'down' || isNew;
  return {
    ...header(ports.nowMs),
    filters: { ...filter },
    summary: summaryItem(panes),
    store_error: ports.panes.storeError(),
    outages: [...ports.panes.outages()],
    partial: requested.some(isSilent),
    requested_targets: requested.map(({ targetId }) => targetId),
    responded_targets: requested.filter((each) => !isSilent(each)).map(({ targetId }) => targetId),
    target_errors: requested.filter(isSilent).map(({ targetId, isNew, why }) => ({
      target: targetId,
      code: 'target_unreachable',
      message: isNew
        ? `${targetId} has not answered yet${why}`
        : `${targetId} does not answer${why}; its rows are what was last known`,
    })),
  };
}

function statusOf(targets: Ports['targets'], targetId: TargetId) {
  const { detail, lastSeenAtMs } = targets.statusOf(targetId);
  return { isNew: lastSeenAtMs === null, why: detail === null ? '' : `: ${detail}` };
}
