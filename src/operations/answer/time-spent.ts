// Reads the steps of history in pages and adds up their times. Between two pages the rest of the
// daemon has its turn, so that a long history delays nothing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { localDays } from '../../core/view/local-days.ts';
import { nameToType } from '../../core/view/pane-names.ts';
import {
  type TimeSpent,
  type TimeSums,
  type TimeTally,
  tallyTimes,
  type Wait,
} from '../../core/view/time-spent.ts';
import type { HistorySummary, TimeSumsItem } from '../../schema/api/ledger.ts';
import type { TimelineStep } from '../../schema/history.ts';
import type { PaneKey } from '../../schema/ids.ts';
import type { HistoryPort } from '../ports/history-port.ts';
import { isoOf } from '../ports/iso-time.ts';
import { type PaneView, refOf } from './pane-item.ts';

export interface TimeQuery {
  /** Null: every pane. */
  readonly paneKey: PaneKey | null;
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly by: HistorySummary['by'];
  readonly timeZone: string;
  readonly waitCount: number;
}

export interface TimeSummary extends TimeSpent {
  /** The query's, or the first moment that was watched. */
  readonly sinceMs: number;
  /** The oldest part was left out. */
  readonly isCut: boolean;
}

/** A read of some 10 ms. */
const PAGE_STEPS = 1_000;
/** Two weeks of a fleet that never rests; more would keep its caller waiting too long. */
const STEPS_MAX = 1_000_000;
/** Steps may be written late, out of the spool. After so many older ones nothing newer is left. */
const OLDER_STEPS_MAX = 1_000;
const GROUPS_MAX = 1_000;

type Timeline = HistoryPort['timeline'];

export async function summarizeTimes(
  { timeline, daemonRuns }: Pick<HistoryPort, 'timeline' | 'daemonRuns'>,
  query: TimeQuery,
  signal: AbortSignal,
): Promise<TimeSummary> {
  const { by, nowMs, timeZone } = query;
  const watched = daemonRuns.spans(nowMs);
  const sinceMs = Math.max(query.sinceMs, watched[0]?.fromMs ?? nowMs);
  const window = { fromMs: sinceMs, toMs: nowMs };
  const tally = tallyTimes({
    window,
    watched,
    groupOf: by === 'session' ? sessionOf : ({ agent }) => agent ?? 'unknown',
    ...(by === 'day' && { days: localDays(window, timeZone) }),
    longestMax: query.waitCount,
  });
  const heads = timeline.heads();
  if (query.paneKey !== null) {
    const head = heads.get(query.paneKey) ?? null;
    await addChains(timeline, tally, new Map([[query.paneKey, head]]), signal);
    return { ...tally.sums(), sinceMs, isCut: false };
  }
  const rest = new Map<PaneKey, number | null>(heads);
  const cutAtMs = await addPages(timeline, tally, { rest, sinceMs }, signal);
  if (cutAtMs === null) await addChains(timeline, tally, rest, signal);
  return { ...tally.sums(), sinceMs: cutAtMs ?? sinceMs, isCut: cutAtMs !== null };
}

const sessionOf = ({ targetId, sessionName }: TimelineStep): string => {
  if (sessionName === null) return 'no session';
  return targetId === null || targetId === 'local' ? sessionName : `${targetId}/${sessionName}`;
};

interface Pages {
  /** What is left to read of each pane: the step before the last one that was added. */
  readonly rest: Map<PaneKey, number | null>;
  readonly sinceMs: number;
}

/** Adds all steps since a time, newest first; returns how far it came if there were too many. */
async function addPages(
  timeline: Timeline,
  tally: TimeTally,
  { rest, sinceMs }: Pages,
  signal: AbortSignal,
): Promise<number | null> {
  let beforeId: number | null = null;
  let olderSteps = 0;
  let cutAtMs = sinceMs;
  for (let count = 0; count < STEPS_MAX; count += PAGE_STEPS) {
    signal.throwIfAborted();
    const steps = timeline.page(beforeId, PAGE_STEPS);
    for (const step of steps) {
      rest.set(step.paneKey, tally.add(step) ? step.previousId : null);
      if (step.atMs < sinceMs) olderSteps += 1;
    }
    beforeId = steps.at(-1)?.id ?? null;
    if (steps.length < PAGE_STEPS || olderSteps >= OLDER_STEPS_MAX) return null;
    cutAtMs = steps.at(-1)?.atMs ?? cutAtMs;
    await nextTurn();
  }
  return cutAtMs;
}

/** Follows each pane back to the step that it began the time with. */
async function addChains(
  timeline: Timeline,
  tally: TimeTally,
  rest: ReadonlyMap<PaneKey, number | null>,
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  for (const [paneKey, first] of rest) {
    for (let next = first; next !== null; ) {
      count += 1;
      if (count % PAGE_STEPS === 0) {
        signal.throwIfAborted();
        await nextTurn();
      }
      const step = timeline.step(next);
      // The chain ends where retention removed a row; another pane may have its number by now.
      if (step?.paneKey !== paneKey || !tally.add(step)) break;
      next = step.previousId !== null && step.previousId < next ? step.previousId : null;
    }
  }
}

/** The reply, without its header. */
export function timeSpentItem(
  view: PaneView,
  query: TimeQuery,
  { total, groups, longestWaits, sinceMs, isCut }: TimeSummary,
): Omit<HistorySummary, 'schema_version' | 'generated_at' | 'filters'> {
  const items = [...groups].map(([name, sums]) => ({ name, ...sumsItem(sums) }));
  const ordered =
    query.by === 'day'
      ? items.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      : items.toSorted((a, b) => b.waiting_ms - a.waiting_ms || b.observed_ms - a.observed_ms);
  return {
    since: isoOf(sinceMs),
    until: isoOf(query.nowMs),
    time_zone: query.timeZone,
    by: query.by,
    partial: isCut || ordered.length > GROUPS_MAX,
    total: sumsItem(total),
    groups: ordered.slice(0, GROUPS_MAX),
    longest_waits: longestWaits.map((wait) => waitItem(view, wait)),
  };
}

/** Whole milliseconds, though the clock has fractions of them. */
const sumsItem = (sums: TimeSums): TimeSumsItem => ({
  observed_ms: Math.round(sums.observedMs),
  states: Object.fromEntries([...sums.states].map(([state, ms]) => [state, Math.round(ms)])),
  waiting_ms: Math.round(sums.waitingMs),
  waits: sums.waitCount,
  longest_wait_ms: Math.round(sums.longestWaitMs),
});

function waitItem(view: PaneView, wait: Wait): HistorySummary['longest_waits'][number] {
  const pane = view.world.panes.get(wait.paneKey);
  return {
    pane_key: wait.paneKey,
    ref: pane ? refOf(pane, pane.facts?.locations[0], view.crowded) : null,
    pane: pane ? nameToType(view.world, pane) : null,
    agent: wait.agent,
    session: wait.sessionName,
    state: wait.state,
    began_at: isoOf(wait.fromMs),
    ended_at: wait.toMs === null ? null : isoOf(wait.toMs),
    waited_ms: Math.round(wait.waitedMs),
  };
}
