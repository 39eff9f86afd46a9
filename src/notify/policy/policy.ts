// The policy: what a person is notified of, what is held back, and why. One step takes what the
// rows say now, the time and the rules, and returns the next state with every decision. It has no
// clock and does no I/O: the same steps give the same decisions, whoever delivers them.

import type {
  DecisionReason,
  DigestWindow,
  Episode,
  MuteRule,
  NotifyWait,
} from '../../schema/notify/episode.ts';
import type { WallTime } from '../../text/hours.ts';
import {
  type EpisodeRules,
  firingEpisode,
  followPane,
  held,
  isDialogKind,
  type RuleFiringNews,
} from './episodes.ts';
import { muteOf } from './mutes.ts';
import type { PaneNeeds } from './pane-needs.ts';

/** Of requests that do not wait, so many go out alone in one window; a flood becomes a digest. */
const ALONE_MAX = 5;
/** An ended episode is remembered this long: the same request is not notified again. */
const KEPT_MS = 3_600_000;
/** More than any fleet has open; the oldest ended ones go first. */
const EPISODES_MAX = 4_096;
/** That a person left a pane causes no event: it is checked again this soon. */
const FOCUS_MS = 500;

export interface PolicyRules extends EpisodeRules {
  readonly cooldownMs: number;
  readonly digestMs: number;
  readonly mutes: readonly MuteRule[];
}

export interface PolicyState {
  readonly episodes: ReadonlyMap<string, Episode>;
  readonly window: DigestWindow | null;
  /** How many notifications there were; the next one is named by it. */
  readonly sentCount: number;
}

export const emptyPolicy: PolicyState = { episodes: new Map(), window: null, sentCount: 0 };

export interface PolicyStep {
  readonly nowMs: number;
  readonly wall: WallTime;
  readonly rules: PolicyRules;
  /** The panes whose rows may have changed. */
  readonly panes: readonly PaneNeeds[];
  /** What repeat rules have done since the last step. */
  readonly firings?: readonly RuleFiringNews[];
  /** The panes that a person is looking at. */
  readonly focused: ReadonlySet<string>;
  /** Notifications are just switched on. */
  readonly isBaseline?: boolean;
}

export interface Decision {
  readonly episode: Episode;
  readonly reason: DecisionReason;
  /** Null: nobody is notified. Several decisions may share one. */
  readonly notificationId: string | null;
}

export interface PolicyResult {
  readonly state: PolicyState;
  readonly decisions: readonly Decision[];
  /** When the next step is due though nothing happens; null: never. */
  readonly dueMs: number | null;
}

export function stepPolicy(before: PolicyState, step: PolicyStep): PolicyResult {
  const { episodes, decisions } = followPanes(before, step);
  const { ready, waitEnds } = judgePending(episodes, decisions, step);
  const sending = send(before, ready, step);
  for (const { episode } of sending.decisions) episodes.set(episode.episodeId, episode);
  for (const episode of sending.gathered) {
    episodes.set(episode.episodeId, { ...episode, wait: 'digest' });
    waitEnds.push(sending.windowEndMs);
  }
  prune(episodes, step.nowMs);
  const dueMs = Math.min(...waitEnds);
  return {
    state: { episodes, window: sending.window, sentCount: sending.sentCount },
    decisions: [...decisions, ...sending.decisions],
    dueMs: Number.isFinite(dueMs) ? dueMs : null,
  };
}

/** The episodes as the rows have them now, and what is clear by that alone. */
function followPanes(before: PolicyState, step: PolicyStep) {
  const { isBaseline = false, firings = [] } = step;
  const moment = { ...step, isBaseline };
  const episodes = new Map(before.episodes);
  const decisions: Decision[] = [];
  const ofRows = [...before.episodes.values()].filter(({ kind }) => kind !== 'rule');
  const byPane = Map.groupBy(ofRows, ({ paneKey }) => paneKey);
  const judged = step.panes.flatMap((pane) =>
    followPane(byPane.get(pane.paneKey) ?? [], pane, moment),
  );
  for (const { episode, reason } of [
    ...judged,
    ...firings.map((each) => firingEpisode(each, moment)),
  ]) {
    episodes.set(episode.episodeId, episode);
    if (reason !== null) decisions.push({ episode, reason, notificationId: null });
  }
  return { episodes, decisions };
}

/** Holds back what is to be held back; the rest is ready, or waits until then. */
function judgePending(episodes: Map<string, Episode>, decisions: Decision[], step: PolicyStep) {
  const ready: Episode[] = [];
  const waitEnds: number[] = [];
  const cooldownEndMs = cooldownEnds(episodes, step.rules);
  for (const episode of episodes.values()) {
    if (episode.status !== 'pending') continue;
    const verdict = judge(episode, cooldownEndMs(episode.paneKey), step);
    if (verdict.kind === 'ready') ready.push(episode);
    else if (verdict.kind === 'held') {
      const { reason } = verdict;
      const judged = held(episode, reason, step.nowMs);
      episodes.set(episode.episodeId, judged.episode);
      decisions.push({ episode: judged.episode, reason, notificationId: null });
    } else {
      const { wait } = verdict;
      waitEnds.push(verdict.untilMs);
      if (wait !== episode.wait) episodes.set(episode.episodeId, { ...episode, wait });
    }
  }
  return { ready, waitEnds };
}

/** Notifications are switched off: what is undecided is held back. */
export function closePolicy(before: PolicyState, nowMs: number): PolicyResult {
  const decisions = [...before.episodes.values()]
    .filter(({ status }) => status === 'pending')
    .map((each) => ({ ...held(each, 'off', nowMs), reason: 'off', notificationId: null }) as const);
  return { state: { ...emptyPolicy, sentCount: before.sentCount }, decisions, dueMs: null };
}

type Verdict =
  | { readonly kind: 'ready' }
  | { readonly kind: 'held'; readonly reason: DecisionReason }
  | { readonly kind: 'wait'; readonly wait: NotifyWait; readonly untilMs: number };

const waitFor = (wait: NotifyWait, untilMs = Number.POSITIVE_INFINITY): Verdict => ({
  kind: 'wait',
  wait,
  untilMs,
});

/** What stands between an undecided episode and a person. */
function judge(episode: Episode, cooldownEndMs: number, step: PolicyStep): Verdict {
  const { nowMs, rules, focused } = step;
  // The end of a snooze and the return of a state are changes of the row, and cause a step.
  if (episode.snoozedUntilMs !== null) return waitFor('snooze');
  const muted = muteOf(rules.mutes, episode.subject, step);
  if (muted) {
    // What happened while it was muted is not told later, but an open dialog still needs somebody.
    const isLater = muted.untilMs !== null && isDialogKind(episode.kind);
    if (!isLater) return { kind: 'held', reason: 'muted' };
    return waitFor('mute', muted.untilMs ?? nowMs);
  }
  if (nowMs < episode.readyAtMs) return waitFor('dwell', episode.readyAtMs);
  if (episode.isHidden) return waitFor('confirmation');
  if (focused.has(episode.paneKey) && episode.kind === 'rule')
    return { kind: 'held', reason: 'seen' };
  if (focused.has(episode.paneKey)) return waitFor('focus', nowMs + FOCUS_MS);
  const isAtOnce = rules.atOnce.includes(episode.kind);
  if (!isAtOnce && nowMs < cooldownEndMs) return waitFor('cooldown', cooldownEndMs);
  return { kind: 'ready' };
}

/** Until when a pane that was notified is left alone. */
function cooldownEnds(
  episodes: ReadonlyMap<string, Episode>,
  { cooldownMs }: PolicyRules,
): (paneKey: string) => number {
  const ends = new Map<string, number>();
  for (const { paneKey, kind, status, decidedAtMs } of episodes.values()) {
    // That a rule fired must not delay what needs a person.
    if (kind === 'rule' || status !== 'notified' || decidedAtMs === null) continue;
    ends.set(paneKey, Math.max(ends.get(paneKey) ?? 0, decidedAtMs + cooldownMs));
  }
  return (paneKey) => ends.get(paneKey) ?? 0;
}

interface Sending {
  readonly decisions: readonly Decision[];
  /** Ready, and waiting for the end of the window. */
  readonly gathered: readonly Episode[];
  readonly window: DigestWindow | null;
  readonly windowEndMs: number;
  readonly sentCount: number;
}

/** The first goes out alone and opens a window; those that follow within it become one. */
function send(before: PolicyState, ready: readonly Episode[], step: PolicyStep): Sending {
  const { nowMs, rules } = step;
  const openedAtMs = before.window?.openedAtMs ?? Number.NEGATIVE_INFINITY;
  const isOpen = nowMs < openedAtMs + rules.digestMs;
  const sentBefore = isOpen ? (before.window?.sentCount ?? 0) : 0;
  // What was gathered stays together.
  const atOnce = ready.filter(({ kind, wait }) => rules.atOnce.includes(kind) && wait !== 'digest');
  const alone = atOnce.slice(0, Math.max(0, ALONE_MAX - sentBefore));
  const rest = ready.filter((each) => !alone.includes(each));
  const groups = [...alone.map((each) => [each]), ...(isOpen || rest.length === 0 ? [] : [rest])];
  const decisions = groups.flatMap((group, index) =>
    group.map((each) => notified(each, group.length, `n${before.sentCount + index + 1}`, step)),
  );
  const sentCount = sentBefore + groups.length;
  const window = { openedAtMs: isOpen ? openedAtMs : nowMs, sentCount };
  return {
    decisions,
    gathered: isOpen ? rest : [],
    window: sentCount === 0 ? null : window,
    windowEndMs: window.openedAtMs + rules.digestMs,
    sentCount: before.sentCount + groups.length,
  };
}

const reasonOfWait: Readonly<Record<NotifyWait, DecisionReason>> = {
  dwell: 'dwell',
  cooldown: 'cooldown_over',
  digest: 'digest',
  mute: 'mute_over',
  snooze: 'snooze_over',
  focus: 'left',
  confirmation: 'still_open',
};

function notified(
  episode: Episode,
  groupSize: number,
  notificationId: string,
  { nowMs, rules }: PolicyStep,
): Decision {
  const { wait, kind } = episode;
  const usual = kind === 'rule' || rules.atOnce.includes(kind) ? 'at_once' : 'dwell';
  const reason = groupSize > 1 ? 'digest' : wait === null ? usual : reasonOfWait[wait];
  const status = 'notified' as const;
  return { episode: { ...episode, status, decidedAtMs: nowMs }, reason, notificationId };
}

function prune(episodes: Map<string, Episode>, nowMs: number): void {
  const endOf = ({ endedAtMs, status }: Episode): number =>
    status === 'pending' ? Number.POSITIVE_INFINITY : (endedAtMs ?? Number.POSITIVE_INFINITY);
  for (const [key, episode] of episodes) {
    if (nowMs - endOf(episode) > KEPT_MS) episodes.delete(key);
  }
  if (episodes.size <= EPISODES_MAX) return;
  const oldest = [...episodes].sort(([, a], [, b]) => endOf(a) - endOf(b) || a.sinceMs - b.sinceMs);
  for (const [key] of oldest.slice(0, episodes.size - EPISODES_MAX)) episodes.delete(key);
}
