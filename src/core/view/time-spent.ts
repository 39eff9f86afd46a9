// How long agents were in each state, and how long they waited for a person: sums over the steps of
// history. Steps are added newest first, as they are read. Only time in which a daemon watched and
// an agent was there counts; what was hidden meanwhile is `unknown`. The sums of the states are
// always the observed time. Pure.

import type { TimelineStep, TimeSpan } from '../../schema/history.ts';
import type { AgentName, PaneKey } from '../../schema/ids.ts';
import type { State } from '../../schema/state.ts';

/** One stretch in which an agent waited for a person. */
export interface Wait {
  readonly paneKey: PaneKey;
  readonly agent: AgentName | null;
  readonly sessionName: string | null;
  /** What it waited for last. */
  readonly state: State;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  /** Without the time in which nobody watched. */
  readonly waitedMs: number;
}

export interface TimeSums {
  readonly observedMs: number;
  readonly states: ReadonlyMap<State, number>;
  readonly waitingMs: number;
  readonly waitCount: number;
  readonly longestWaitMs: number;
}

export interface TimeSpent {
  readonly total: TimeSums;
  readonly groups: ReadonlyMap<string, TimeSums>;
  /** The longest first. */
  readonly longestWaits: readonly Wait[];
}

export interface TimeSpentOptions {
  readonly window: TimeSpan;
  /** When a daemon ran: in the order of time, without overlaps. */
  readonly watched: readonly TimeSpan[];
  /** The group of a step; where the days are the groups, this is not asked. */
  readonly groupOf: (step: TimelineStep) => string;
  /** Days that cover the window, each until the next begins; absent: groups are not days. */
  readonly days?: readonly { readonly name: string; readonly fromMs: number }[];
  readonly longestMax: number;
}

export interface TimeTally {
  /** Takes the next older step of its pane; false when no older one of it matters. */
  readonly add: (step: TimelineStep) => boolean;
  /** Called last, once. */
  readonly sums: () => TimeSpent;
}

/** A dialog that the person opened waits for nobody. */
export const isWaiting = ({ state, reasonCode }: Pick<TimelineStep, 'state' | 'reasonCode'>) =>
  (state === 'waiting_approval' || state === 'waiting_input') && reasonCode !== 'dialog_open';

type Sums = { -readonly [Key in keyof TimeSums]: TimeSums[Key] } & { states: Map<State, number> };

/** How far the steps of one pane have been added. */
interface PaneTally {
  /** The oldest step that counts so far, and until when it lasted. */
  step: TimelineStep;
  untilMs: number;
  /** When its state was hidden. */
  hidden: TimeSpan[];
  /** The step that was added last, whether it counts or not. */
  last: TimelineStep;
  wait: Wait | null;
}

const noSums = (): Sums => ({
  observedMs: 0,
  states: new Map(),
  waitingMs: 0,
  waitCount: 0,
  longestWaitMs: 0,
});

/** The sums of all and of each group, as times and waits are counted into them. */
function collectSums({ days, groupOf, longestMax }: TimeSpentOptions) {
  const total = noSums();
  const groups = new Map<string, Sums>();
  const longestWaits: Wait[] = [];
  const sumsAt = (step: TimelineStep, atMs: number): readonly Sums[] => {
    const name = days ? dayAt(days, atMs) : groupOf(step);
    const sums = groups.get(name) ?? noSums();
    groups.set(name, sums);
    return [total, sums];
  };
  return {
    addTime: (step: TimelineStep, state: State, span: TimeSpan): void => {
      for (const { fromMs, toMs } of splitAtDays(days, span)) {
        const lastedMs = toMs - fromMs;
        for (const sums of sumsAt(step, fromMs)) {
          sums.observedMs += lastedMs;
          sums.states.set(state, (sums.states.get(state) ?? 0) + lastedMs);
          if (state === step.state && isWaiting(step)) sums.waitingMs += lastedMs;
        }
      }
    },
    addWait: (step: TimelineStep, wait: Wait): void => {
      for (const sums of sumsAt(step, wait.fromMs)) {
        sums.waitCount += 1;
        sums.longestWaitMs = Math.max(sums.longestWaitMs, wait.waitedMs);
      }
      const place = longestWaits.findIndex(({ waitedMs }) => waitedMs < wait.waitedMs);
      longestWaits.splice(place < 0 ? longestWaits.length : place, 0, wait);
      if (longestWaits.length > longestMax) longestWaits.pop();
    },
    all: (): TimeSpent => ({ total, groups, longestWaits }),
  };
}

export function tallyTimes(options: TimeSpentOptions): TimeTally {
  const { window } = options;
  const panes = new Map<PaneKey, PaneTally>();
  const sums = collectSums(options);

  const endWait = (pane: PaneTally): void => {
    if (pane.wait && pane.wait.waitedMs > 0) sums.addWait(pane.step, pane.wait);
    pane.wait = null;
  };

  const add = (step: TimelineStep): boolean => {
    const pane = panes.get(step.paneKey);
    if (!pane) {
      const untilMs = Math.max(step.atMs, window.toMs);
      panes.set(step.paneKey, { step, untilMs, hidden: [], last: step, wait: null });
      return true;
    }
    const newer = pane.last;
    pane.last = step;
    if (isReplaced(step, pane.step)) {
      if (step.state === 'unknown') noteHidden(pane.hidden, step, newer);
      return true;
    }
    if (pane.step.atMs <= window.fromMs) return false;
    closeStep(pane, options, sums);
    if (!isWaiting(step) || step.presence !== 'managed') endWait(pane);
    Object.assign(pane, { step, untilMs: pane.step.atMs, hidden: [] });
    return true;
  };

  return {
    add,
    sums: () => {
      for (const pane of panes.values()) {
        closeStep(pane, options, sums);
        endWait(pane);
      }
      panes.clear();
      return sums.all();
    },
  };
}

/** Counts the oldest step of a pane so far: how long it lasted is known now. */
function closeStep(
  pane: PaneTally,
  { window, watched }: TimeSpentOptions,
  { addTime }: ReturnType<typeof collectSums>,
): void {
  const { step, untilMs, hidden } = pane;
  const span = overlap(window, { fromMs: step.atMs, toMs: untilMs });
  if (step.presence !== 'managed' || !span) return;
  let countedMs = 0;
  for (const seen of overlaps(watched, span)) {
    for (const { isHidden, ...part } of splitAtHidden(hidden, seen)) {
      addTime(step, isHidden ? 'unknown' : step.state, part);
      if (!isHidden) countedMs += part.toMs - part.fromMs;
    }
  }
  if (!isWaiting(step)) return;
  pane.wait = waitBefore(pane.wait, { step, span, countedMs, nowMs: window.toMs });
}

/**
 * While the state was not known nobody could see it; then it turned out to have been the same, or
 * another one since before. The same rule as that of the list of past states.
 */
const isReplaced = (step: TimelineStep, later: TimelineStep): boolean =>
  step.atMs > later.atMs ||
  (step.atMs === later.atMs &&
    (step.state === 'unknown' ||
      (step.state === later.state && step.reasonCode === later.reasonCode)));

/** The step was hidden until the next one was written. */
function noteHidden(hidden: TimeSpan[], step: TimelineStep, newer: TimelineStep): void {
  const toMs = newer.atMs > step.atMs ? newer.atMs : (newer.learnedAtMs ?? step.atMs);
  if (toMs > step.atMs) hidden.push({ fromMs: step.atMs, toMs });
}

interface WaitPart {
  readonly step: TimelineStep;
  readonly span: TimeSpan;
  readonly countedMs: number;
  readonly nowMs: number;
}

/** A wait with the part before it: two requests, one right after the other, are one wait. */
function waitBefore(wait: Wait | null, { step, span, countedMs, nowMs }: WaitPart): Wait {
  if (wait) return { ...wait, fromMs: span.fromMs, waitedMs: wait.waitedMs + countedMs };
  return {
    paneKey: step.paneKey,
    agent: step.agent,
    sessionName: step.sessionName,
    state: step.state,
    fromMs: span.fromMs,
    toMs: span.toMs >= nowMs ? null : span.toMs,
    waitedMs: countedMs,
  };
}

function overlap(a: TimeSpan, b: TimeSpan): TimeSpan | null {
  const fromMs = Math.max(a.fromMs, b.fromMs);
  const toMs = Math.min(a.toMs, b.toMs);
  return toMs > fromMs ? { fromMs, toMs } : null;
}

/** The parts of `span` that lie in `spans`, which are in the order of time. */
function* overlaps(spans: readonly TimeSpan[], span: TimeSpan): Generator<TimeSpan> {
  for (
    let index = firstWhere(spans, ({ toMs }) => toMs > span.fromMs);
    index < spans.length;
    index += 1
  ) {
    const each = spans[index];
    if (!each || each.fromMs >= span.toMs) return;
    const part = overlap(each, span);
    if (part) yield part;
  }
}

/** The place of the first for which `holds`; it holds for all after that one. */
function firstWhere<Each>(list: readonly Each[], holds: (each: Each) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = list[middle];
    if (each !== undefined && holds(each)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The parts of a span, in the order of time, with whether the state was hidden in them. */
function* splitAtHidden(
  hidden: readonly TimeSpan[],
  span: TimeSpan,
): Generator<TimeSpan & { readonly isHidden: boolean }> {
  let { fromMs } = span;
  for (const each of hidden.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const part = overlap(each, { fromMs, toMs: span.toMs });
    if (!part) continue;
    if (part.fromMs > fromMs) yield { fromMs, toMs: part.fromMs, isHidden: false };
    yield { ...part, isHidden: true };
    fromMs = part.toMs;
  }
  if (fromMs < span.toMs) yield { fromMs, toMs: span.toMs, isHidden: false };
}

type Days = NonNullable<TimeSpentOptions['days']>;

function* splitAtDays(days: Days | undefined, span: TimeSpan): Generator<TimeSpan> {
  let { fromMs } = span;
  for (let index = days ? dayIndex(days, fromMs) + 1 : 0; ; index += 1) {
    const startMs = days?.[index]?.fromMs ?? span.toMs;
    if (startMs >= span.toMs) break;
    yield { fromMs, toMs: startMs };
    fromMs = startMs;
  }
  yield { fromMs, toMs: span.toMs };
}

const dayAt = (days: Days, atMs: number): string => days[dayIndex(days, atMs)]?.name ?? '';

/** The place of the last day that has begun; 0 before the first. */
const dayIndex = (days: Days, atMs: number): number =>
  Math.max(0, firstWhere(days, ({ fromMs }) => fromMs > atMs) - 1);
