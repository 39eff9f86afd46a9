// What agents ask: the open requests of all panes, the oldest first, and whether one is still as it
// was shown. Pure.

import type { PaneItem } from '../../schema/api/panes.ts';
import { byText } from '../../schema/order/order.ts';
import type { Model, PaneRequest, ShownAgent, ShownRequest } from '../model.ts';

const openOf = (pane: PaneItem): readonly ShownRequest[] =>
  pane.attention.requests
    .filter(({ kind }) => kind === 'approval' || kind === 'question')
    .map((request) => ({ pane, request }));

const isPutOff = ({ pane }: ShownRequest): boolean => pane.attention.snoozed_until !== null;

const byWait = (a: ShownRequest, b: ShownRequest): number =>
  byText(a.request.since, b.request.since) || byText(a.pane.pane_key, b.pane.pane_key);

/** What a pane asks, the oldest first. */
export const requestsOf = (pane: PaneItem): readonly ShownRequest[] =>
  openOf(pane).toSorted(byWait);

/** What all panes ask, the oldest first; what a person has put off comes last. */
export function openRequests({ panes }: Pick<Model, 'panes'>): readonly ShownRequest[] {
  const all = [...panes.values()].filter(({ presence }) => presence !== 'missing').flatMap(openOf);
  return all.toSorted((a, b) => Number(isPutOff(a)) - Number(isPutOff(b)) || byWait(a, b));
}

export const isThatRequest = (a: ShownRequest, b: ShownRequest): boolean =>
  a.pane.pane_key === b.pane.pane_key && a.request.request_id === b.request.request_id;

/** Whether a pane has an action under way. */
export const isBusy = ({ running }: Pick<Model, 'running'>, { pane_key }: PaneItem): boolean =>
  running.has(pane_key);

/** Whether its answer is under way, or is there and the row has yet to follow. */
export function isAnswered(model: Model, { pane, request }: ShownRequest): boolean {
  const answered = model.answered.get(pane.pane_key);
  // The next question of a dialog may have the id of the one before.
  const isOver =
    answered?.request.request_id === request.request_id &&
    wordsOf(answered.request) === wordsOf(request) &&
    model.nowMs < answered.untilMs;
  return isOver || isBusy(model, pane);
}

/** What comes up by itself: neither put off nor answered. */
export const waitingRequests = (model: Model): readonly ShownRequest[] =>
  openRequests(model).filter((each) => !isPutOff(each) && !isAnswered(model, each));

/** All that a person reads of a request; the mark on an option may move. */
const wordsOf = ({ kind, detail }: PaneRequest): string =>
  JSON.stringify([
    kind,
    ...[detail?.tool, detail?.command, detail?.file, detail?.text],
    detail?.options?.map(({ label }) => label),
  ]);

export const optionLabels = ({ detail }: PaneRequest): readonly string[] =>
  detail?.options?.map(({ label }) => label) ?? [];

/** Whether several options may be chosen. */
export const takesSeveral = ({ detail }: PaneRequest): boolean =>
  detail?.options?.some(({ checked }) => checked !== undefined) ?? false;

/** The request as it is now, if it still asks the same of the same agent; null otherwise. */
export function unchangedRequest(
  { panes }: Pick<Model, 'panes'>,
  { pane, request }: ShownRequest,
): ShownRequest | null {
  const live = panes.get(pane.pane_key);
  const now = live?.attention.requests.find(({ request_id }) => request_id === request.request_id);
  if (!live || !now || live.presence === 'missing' || live.runtime_id !== pane.runtime_id) {
    return null;
  }
  return wordsOf(now) === wordsOf(request) ? { pane: live, request: now } : null;
}

/** The agent as it is now, if nothing that a person saw of it has changed; null otherwise. */
export function unchangedAgent(model: Pick<Model, 'panes'>, shown: ShownAgent): ShownAgent | null {
  const { pane, request } = shown;
  if (request !== null) return unchangedRequest(model, { pane, request });
  const live = model.panes.get(pane.pane_key);
  const isSame = live?.runtime_id === pane.runtime_id && live?.state_version === pane.state_version;
  return isSame ? shown : null;
}
