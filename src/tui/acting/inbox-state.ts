// Which request the inbox shows. It stands as it came up until a key is pressed, whatever becomes
// of it meanwhile, so that nothing else can slip under the key. Pure.

import type { UpdateResult } from '../message.ts';
import type { InboxState, Model, ShownRequest } from '../model.ts';
import {
  isThatRequest,
  openRequests,
  unchangedRequest,
  waitingRequests,
} from '../rows/open-requests.ts';
import { just } from '../steps.ts';

const showing = (model: Model, shown: ShownRequest | null): InboxState => ({
  shown,
  shownAtMs: model.nowMs,
  top: 0,
  isRead: false,
});

/** The inbox with another request in it. */
export const withShown = (model: Model, shown: ShownRequest | null): Model => ({
  ...model,
  inbox: showing(model, shown),
});

/** Opens the inbox at a request; without one, at the oldest. */
export function openInbox(model: Model, at?: ShownRequest): UpdateResult<Model> {
  const first = at ?? waitingRequests(model)[0] ?? openRequests(model)[0] ?? null;
  return just({ ...withShown(model, first), page: { kind: 'inbox' } });
}

/** After panes changed: the same words with the newest version; the first one where none was. */
export function followInbox(model: Model): Model {
  const { inbox } = model;
  if (inbox === null) return model;
  if (inbox.shown === null) {
    const [first] = waitingRequests(model);
    return first ? withShown(model, first) : model;
  }
  // Where nothing else could come under the key, the page says so at once.
  if (openRequests(model).length === 0) return withShown(model, null);
  const now = unchangedRequest(model, inbox.shown);
  if (now === null || now.pane === inbox.shown.pane) return model;
  return { ...model, inbox: { ...inbox, shown: now } };
}

function place(model: Model): { all: readonly ShownRequest[]; index: number } {
  const all = openRequests(model);
  const shown = model.inbox?.shown ?? null;
  return { all, index: shown ? all.findIndex((each) => isThatRequest(each, shown)) : -1 };
}

/** The next one that waits for an answer; after the last one comes the first. */
export function showNextWaiting(model: Model): Model {
  const { all, index } = place(model);
  const waiting = waitingRequests(model);
  const around = [...all.slice(index + 1), ...all.slice(0, Math.max(0, index))];
  const next = around.find((each) => waiting.some((other) => isThatRequest(each, other)));
  return withShown(model, next ?? null);
}

/** Looks at the next one or the one before, without an answer. */
export function step(model: Model, by: number): Model {
  const { all, index } = place(model);
  const to = index < 0 ? 0 : (index + by + all.length) % all.length;
  return withShown(model, all[to] ?? null);
}
