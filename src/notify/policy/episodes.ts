// Which episodes there are: the needs of a pane are compared with the episodes that it had, which
// go on, end or begin. What is clear at once (a kind that is off, old news) is decided here; what
// is open and undecided is left to policy.ts. Pure.

import type { DecisionReason, Episode, NotifySubject } from '../../schema/notify/episode.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { Need, PaneNeeds } from './pane-needs.ts';
import { askOf, isSameEpisode } from './same-episode.ts';

/** News that is read later than this is old: the machine slept, or a host was away. */
const OLD_MS = 120_000;

export interface EpisodeRules {
  readonly kinds: readonly NotifyKind[];
  readonly atOnce: readonly NotifyKind[];
  readonly dwellMs: number;
}

export interface EpisodeMoment {
  readonly nowMs: number;
  readonly rules: EpisodeRules;
  /** Notifications are just switched on: what is open now is no news. */
  readonly isBaseline: boolean;
}

/** A repeat rule has fired. */
export interface RuleFiringNews {
  readonly paneKey: string;
  readonly subject: NotifySubject;
  /** Of its action in the audit trail. */
  readonly requestRef: string;
  readonly atMs: number;
}

/** An episode with its decision, if one was made. */
export interface JudgedEpisode {
  readonly episode: Episode;
  readonly reason: DecisionReason | null;
}

export const isDialogKind = (kind: NotifyKind): boolean =>
  kind === 'approval' || kind === 'question';

export function held(episode: Episode, reason: DecisionReason, nowMs: number): JudgedEpisode {
  const status = 'held' as const;
  return { episode: { ...episode, status, wait: null, decidedAtMs: nowMs }, reason };
}

/** What a repeat rule did: it is over as it is known, and nothing of the row is about it. */
export function firingEpisode(
  { paneKey, subject, requestRef, atMs }: RuleFiringNews,
  { nowMs, rules }: EpisodeMoment,
): JudgedEpisode {
  const episode: Episode = {
    episodeId: `${paneKey} ${requestRef}`,
    ...{ paneKey, requestId: requestRef, kind: 'rule', sinceMs: atMs, subject },
    ...{ ask: {}, status: 'pending', readyAtMs: nowMs, wait: null, isHidden: false },
    ...{ decidedAtMs: null, snoozedUntilMs: null, endedAtMs: nowMs },
  };
  const isOff = !rules.kinds.includes('rule');
  return isOff ? held(episode, 'kind_off', nowMs) : { episode, reason: null };
}

/** The episodes of one pane after its row says this; only those that changed or are new. */
export function followPane(
  before: readonly Episode[],
  pane: PaneNeeds,
  moment: EpisodeMoment,
): readonly JudgedEpisode[] {
  const { nowMs } = moment;
  const left = new Set(before);
  const judged = pane.needs.map((need): JudgedEpisode => {
    const known =
      find(left, (each) => each.requestId === need.requestId) ??
      find(left, (each) => isSameEpisode(each, need, nowMs));
    if (!known) return begin(pane, need, moment);
    left.delete(known);
    return goOn(known, pane, need, nowMs);
  });
  const ended = [...left]
    .filter(({ endedAtMs }) => endedAtMs === null)
    .map((each) => endOrHide(each, pane, nowMs));
  const isNew = ({ episode }: JudgedEpisode): boolean => !before.some((each) => each === episode);
  return [...judged, ...ended].filter(isNew);
}

function find<T>(items: Iterable<T>, test: (item: T) => boolean): T | undefined {
  for (const item of items) if (test(item)) return item;
  return undefined;
}

function begin(pane: PaneNeeds, need: Need, moment: EpisodeMoment): JudgedEpisode {
  const { nowMs, rules } = moment;
  const { requestId, kind, sinceMs } = need;
  const isAtOnce = rules.atOnce.includes(kind);
  const episode: Episode = {
    episodeId: `${pane.paneKey} ${requestId} ${nowMs}`,
    paneKey: pane.paneKey,
    ...{ requestId, kind, sinceMs },
    subject: pane.subject,
    ask: askOf(need.detail),
    status: 'pending',
    readyAtMs: isAtOnce ? nowMs : Math.max(nowMs, Math.min(sinceMs, nowMs) + rules.dwellMs),
    wait: null,
    isHidden: false,
    decidedAtMs: null,
    snoozedUntilMs: need.isSnoozed ? pane.snoozedUntilMs : null,
    endedAtMs: null,
  };
  const reason = heldFromStart(episode, need, moment);
  return reason === null ? { episode, reason } : held(episode, reason, nowMs);
}

function heldFromStart(
  { kind, sinceMs, subject }: Episode,
  { seen }: Need,
  { nowMs, rules, isBaseline }: EpisodeMoment,
): DecisionReason | null {
  if (!rules.kinds.includes(kind)) return 'kind_off';
  if (subject.isSubagent) return 'subagent';
  if (isBaseline) return 'open_before';
  if (seen) return 'seen';
  // A dialog that is still open needs an answer, however old it is.
  return !isDialogKind(kind) && nowMs - sinceMs > OLD_MS ? 'old' : null;
}

/** The same episode as it is known now; the very same object where nothing is new. */
function goOn(known: Episode, pane: PaneNeeds, need: Need, nowMs: number): JudgedEpisode {
  const ask = { ...known.ask, ...askOf(need.detail) };
  const next: Episode = {
    ...known,
    requestId: need.requestId,
    subject: pane.subject,
    ask,
    isHidden: false,
    endedAtMs: null,
    snoozedUntilMs: need.isSnoozed ? pane.snoozedUntilMs : null,
  };
  if (known.snoozedUntilMs !== null && !need.isSnoozed && nowMs >= known.snoozedUntilMs) {
    // The person asked to be reminded at this time.
    const wait = 'snooze' as const;
    return { episode: { ...next, status: 'pending', wait, readyAtMs: nowMs }, reason: null };
  }
  if (known.status === 'pending' && need.seen) return held(next, 'seen', nowMs);
  const isSame = JSON.stringify(next) === JSON.stringify(known);
  return { episode: isSame ? known : next, reason: null };
}

/** An episode that is not listed any more: its end, unless its state cannot be read now. */
function endOrHide(episode: Episode, pane: PaneNeeds, nowMs: number): JudgedEpisode {
  if (pane.isHidden && !pane.isGone && isDialogKind(episode.kind)) {
    return { episode: episode.isHidden ? episode : { ...episode, isHidden: true }, reason: null };
  }
  const ended: Episode = { ...episode, endedAtMs: nowMs, snoozedUntilMs: null };
  if (episode.status !== 'pending') return { episode: ended, reason: null };
  if (pane.isGone) return held(ended, 'gone', nowMs);
  const isSeen = !isDialogKind(episode.kind) && pane.isAtRest;
  return held(ended, isSeen ? 'seen' : 'over', nowMs);
}
