// What one step of the policy changes, as it is stored: episodes, a line of the log for each
// decision, and the notifications that they become. Pure.

import type {
  NotificationItem,
  NotifyCommit,
  NotifyEntry,
  NotifyMemory,
  UserNotification,
} from '../schema/notify/user-notification.ts';
import type { Decision, PolicyResult, PolicyState } from './policy/policy.ts';

/** What may be shown of a pane. */
export type PaneContent = Omit<NotificationItem, 'kind' | 'sinceMs' | 'request'> & {
  /** What the request of this id asks for. */
  readonly requestText: (requestId: string) => string | null;
};

/** More are counted and not listed. */
const ITEMS_MAX = 20;

interface CommitParts {
  readonly nowMs: number;
  readonly isOn: boolean;
  readonly contentOf: (paneKey: string) => PaneContent | null;
}

/** Null where the step has changed nothing. Deliveries are for the caller to add. */
export function commitOf(
  before: { readonly policy: PolicyState; readonly memory: NotifyMemory },
  { state, decisions }: PolicyResult,
  { nowMs, isOn, contentOf }: CommitParts,
): NotifyCommit | null {
  const old = before.policy.episodes;
  const changedEpisodes = [...state.episodes.values()].filter(
    (each) => old.get(each.episodeId) !== each,
  );
  const forgottenIds = [...old.keys()].filter((each) => !state.episodes.has(each));
  const { window, sentCount } = state;
  const memory: NotifyMemory = { ...before.memory, wasOn: isOn, window, sentCount };
  const isSame =
    changedEpisodes.length === 0 &&
    forgottenIds.length === 0 &&
    decisions.length === 0 &&
    JSON.stringify(memory) === JSON.stringify(before.memory);
  if (isSame) return null;
  return {
    atMs: nowMs,
    memory,
    changedEpisodes,
    forgottenIds,
    entries: decisions.map((each) => entryOf(each, nowMs, contentOf)),
    notifications: notificationsOf(decisions, nowMs, contentOf),
    deliveries: [],
  };
}

/** `n12` is 12: the policy names notifications by their count. */
const numberOf = ({ notificationId }: Decision): number | null =>
  notificationId === null ? null : Number(notificationId.slice(1));

function entryOf(
  decision: Decision,
  atMs: number,
  contentOf: CommitParts['contentOf'],
): NotifyEntry {
  const { episode, reason } = decision;
  const { paneKey, kind, sinceMs, subject } = episode;
  const content = contentOf(paneKey);
  return {
    ...{ atMs, paneKey, kind, sinceMs, reason },
    agent: content?.agent ?? subject.agent,
    place: content?.place ?? subject.sessions[0] ?? '',
    number: numberOf(decision),
  };
}

function notificationsOf(
  decisions: readonly Decision[],
  atMs: number,
  contentOf: CommitParts['contentOf'],
): readonly UserNotification[] {
  const sent = decisions.filter(({ notificationId }) => notificationId !== null);
  return [...Map.groupBy(sent, (each) => numberOf(each) ?? 0)].map(([number, group]) => ({
    number,
    atMs,
    isTest: false,
    isForTerminals: true,
    items: listed(group).map((each) => itemOf(each, contentOf)),
    moreCount: Math.max(0, group.length - ITEMS_MAX),
  }));
}

/** Where not all have room, there is one of each kind: some channels are for a kind alone. */
function listed(group: readonly Decision[]): readonly Decision[] {
  if (group.length <= ITEMS_MAX) return group;
  const byKind = Map.groupBy(group, ({ episode }) => episode.kind);
  const firsts = [...byKind.values()].flatMap(([first]) => first ?? []);
  return [...new Set([...firsts, ...group])].slice(0, ITEMS_MAX);
}

/** Longer texts are cut: no channel shows more. */
const TEXT_MAX = 2_000;
const cut = (text: string | null): string | null => text?.slice(0, TEXT_MAX) ?? null;

function itemOf({ episode }: Decision, contentOf: CommitParts['contentOf']): NotificationItem {
  const { paneKey, requestId, kind, sinceMs, subject } = episode;
  const content = contentOf(paneKey);
  const { agent, target, sessions } = subject;
  const session = sessions[0] ?? null;
  if (content === null) {
    const texts = { title: null, request: null, prompt: null, message: null, path: null };
    return {
      paneKey,
      ref: paneKey,
      agent,
      target,
      session,
      place: session ?? '',
      kind,
      sinceMs,
      ...texts,
    };
  }
  const { requestText, title, prompt, message, path, ...names } = content;
  return {
    ...names,
    agent: names.agent ?? agent,
    kind,
    sinceMs,
    title: cut(title),
    request: cut(requestText(requestId)),
    prompt: cut(prompt),
    message: cut(message),
    path: cut(path),
  };
}
