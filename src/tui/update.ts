// The next model after a message, and its effects. Pure: no clock, no terminal, no daemon. Messages
// of the daemon, the clock and the terminal are here; keys are in update-on-key.ts.

import type { PushMessage } from '../client/client.ts';
import type { PaneItem } from '../schema/api/panes.ts';
import { keepQuestionWhole } from './acting/confirm.ts';
import { showEnded } from './acting/ended.ts';
import { followInbox } from './acting/inbox-state.ts';
import { finishAction, finishResume } from './acting/outcome.ts';
import type { Effect, Message, UpdateResult } from './message.ts';
import type { Model } from './model.ts';
import { focusedPane, followSelection } from './rows/selection.ts';
import { just, unreadNotice, withNotice } from './steps.ts';
import { requestTeams, showTeams } from './teams/bundles.ts';
import { finishCancel, readSoon, requestMessages, showMessages } from './teams/messages.ts';
import { finishMessage } from './teams/write.ts';
import { updateOnKey } from './update-on-key.ts';
import { isPreviewShown } from './view/layout.ts';
import { isSelectionVisible, scrollToSelection } from './view/list-entries.ts';
import { textTopMax } from './view/text-pages.ts';

/** The poll interval for the screen of the selected pane. */
const PREVIEW_MS = 500;
/** The interval after QUIET_AFTER equal screens. */
const PREVIEW_QUIET_MS = 2_000;
const QUIET_AFTER = 8;
const EXPLAIN_MS = 2_000;
const LOG_MS = 1_500;
/** Ages are shown in seconds. */
const TICK_MS = 1_000;

const isQuiet = ({ preview }: Model): boolean =>
  preview === null || preview.problem !== null || preview.unchanged > QUIET_AFTER;

/** The time to the next tick: shorter while the previewed screen changes. */
export const tickMs = (model: Model): number =>
  isPreviewShown(model) && !isQuiet(model) ? PREVIEW_MS : TICK_MS;

export function update(model: Model, message: Message): UpdateResult<Model> {
  const { model: next, effects } = apply(model, message);
  return withRequests(followInbox(followScroll(next, model)), effects);
}

function apply(model: Model, message: Message): UpdateResult<Model> {
  switch (message.type) {
    case 'key':
      return updateOnKey(
        { ...model, notice: unreadNotice(model), isSelectionFree: false },
        message.key,
      );
    case 'tick':
      return just(onTick(model, message.nowMs));
    case 'resized':
      return keepQuestionWhole(clampScroll({ ...model, size: message.size }));
    case 'push':
      return just(onPush(model, message.push));
    case 'configured':
      return just(onConfigured(model, message));
    case 'link':
      return just(onLink(model, message.link));
    case 'previewed':
      return just(onPreview(model, message));
    case 'explained':
      return just(clampScroll(onExplained(model, message)));
    case 'log-read':
      return just(clampScroll(onLogRead(model, message)));
    case 'acted':
      return just(finishAction(model, message));
    case 'ended':
      return just(showEnded(model, message.answer));
    case 'resumed':
      return just(finishResume(model, message));
    case 'messages-read':
      return just(showMessages(model, message.answer));
    case 'message-sent':
      return just(readSoon(finishMessage(model, message.draft, message.answer)));
    case 'message-canceled':
      return just(finishCancel(model, message.answer));
    case 'teams-read':
      return just(showTeams(model, message.answer));
    case 'notice':
      return just(withNotice(model, message.text, message.isProblem));
  }
}

/** Keeps the selected row on the screen, unless the user has scrolled away from it. */
function followScroll(model: Model, before: Model): Model {
  const isChanged = listParts.some((part) => model[part] !== before[part]);
  if (!isChanged) return model;
  const isFollowed = model.selected !== before.selected || isSelectionVisible(before);
  return isFollowed ? scrollToSelection(model) : model;
}

/** What the lines of the list are made of. */
const listParts = ['panes', 'filter', 'preferences', 'settings', 'size', 'selected'] as const;

function onConfigured(
  model: Model,
  { settings, isLight }: Extract<Message, { type: 'configured' }>,
): Model {
  return followSelection({ ...model, settings, look: { ...model.look, isLight } }, model);
}

function onTick(model: Model, nowMs: number): Model {
  const isOver = model.notice !== null && nowMs >= model.notice.untilMs;
  return { ...model, nowMs, notice: isOver ? null : model.notice };
}

function onLink(model: Model, link: 'lost' | 'silent' | 'back'): Model {
  if (link === 'back') return { ...model, link: { kind: 'up' } };
  const sinceMs = model.link.kind === 'lost' ? model.link.sinceMs : model.nowMs;
  return { ...model, link: { kind: 'lost', sinceMs, isSilent: link === 'silent' } };
}

function onPush(model: Model, push: PushMessage): Model {
  const up: Model = { ...model, link: { kind: 'up' } };
  switch (push.type) {
    case 'snapshot': {
      const panes = new Map(push.data.panes.map((pane) => [pane.pane_key, pane]));
      const { summary, outages } = push.data;
      return followSelection({ ...up, panes, summary, outages }, model);
    }
    case 'state_changed': {
      const panes = new Map(model.panes);
      for (const pane of push.data.panes) panes.set(pane.pane_key, pane);
      for (const paneKey of push.data.removed) panes.delete(paneKey);
      return followSelection({ ...up, panes, preview: refreshChanged(up, push.data.panes) }, model);
    }
    case 'attention_changed': {
      const panes = new Map(model.panes);
      for (const { pane_key: paneKey, attention } of push.data.panes) {
        const pane = panes.get(paneKey);
        if (pane) panes.set(paneKey, { ...pane, attention });
      }
      return followSelection({ ...up, panes }, model);
    }
    case 'summary_changed':
      return { ...up, summary: push.data.summary, outages: push.data.outages };
  }
}

/** The preview of a pane that changed is due at once. */
function refreshChanged({ preview }: Model, changed: readonly PaneItem[]): Model['preview'] {
  if (!preview || !changed.some(({ pane_key }) => pane_key === preview.paneKey)) return preview;
  return { ...preview, unchanged: 0, requestedAtMs: 0 };
}

function onPreview(
  model: Model,
  { paneKey, answer }: Extract<Message, { type: 'previewed' }>,
): Model {
  const { preview } = model;
  if (preview?.paneKey !== paneKey) return model;
  if (!answer.ok) {
    const failed = { ...preview, screen: null, problem: answer.problem, isLoading: false };
    return { ...model, preview: failed };
  }
  const isSame = preview.screen?.lines.join('\n') === answer.value.lines.join('\n');
  const shown = {
    ...preview,
    screen: answer.value,
    problem: null,
    isLoading: false,
    unchanged: isSame ? preview.unchanged + 1 : 0,
  };
  return { ...model, preview: shown };
}

function onExplained(
  model: Model,
  { paneKey, answer }: Extract<Message, { type: 'explained' }>,
): Model {
  const { ledger } = model;
  if (ledger?.paneKey !== paneKey) return model;
  return {
    ...model,
    ledger: answer.ok
      ? { ...ledger, explanation: answer.value, problem: null, isLoading: false }
      : { ...ledger, problem: answer.problem, isLoading: false },
  };
}

function onLogRead(
  model: Model,
  { paneKey, answer }: Extract<Message, { type: 'log-read' }>,
): Model {
  const { log } = model;
  if (log?.paneKey !== paneKey) return model;
  if (!answer.ok) return { ...model, log: { ...log, problem: answer.problem, isLoading: false } };
  const { entries } = answer.value;
  const isSame = log.entries?.at(-1)?.id === entries.at(-1)?.id;
  const shown = isSame && log.entries?.length === entries.length ? log.entries : entries;
  return { ...model, log: { ...log, entries: shown, problem: null, isLoading: false } };
}

/** After the size or the text changed: the scroll position stays within the page. */
function clampScroll(model: Model): Model {
  const { page } = model;
  if (page.kind === 'log') {
    const isAtEnd = page.top >= textTopMax(model);
    return isAtEnd ? { ...model, page: { ...page, top: Number.POSITIVE_INFINITY } } : model;
  }
  if (page.kind !== 'explain') return model;
  const top = Math.max(0, Math.min(page.top, textTopMax(model)));
  return top === page.top ? model : { ...model, page: { ...page, top } };
}

/** Requests the visible screen and explanation when due, one request of each at a time. */
function withRequests(model: Model, effects: readonly Effect[]): UpdateResult<Model> {
  const step = requestPreview({ model, effects });
  return requestTeams(requestMessages(requestLog(requestLedger(step))));
}

function requestPreview({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const paneKey = focusedPane(model)?.pane_key ?? null;
  if (model.link.kind !== 'up' || paneKey === null || !isPreviewShown(model)) {
    return { model, effects };
  }
  const { preview, nowMs } = model;
  const isOtherPane = preview?.paneKey !== paneKey;
  if (preview && !isOtherPane) {
    const everyMs = isQuiet(model) ? PREVIEW_QUIET_MS : PREVIEW_MS;
    if (preview.isLoading || nowMs - preview.requestedAtMs < everyMs) return { model, effects };
  }
  const requested = {
    ...(preview && !isOtherPane ? preview : { screen: null, problem: null, unchanged: 0 }),
    paneKey,
    requestedAtMs: nowMs,
    isLoading: true,
  };
  return {
    model: { ...model, preview: requested },
    effects: [...effects, { kind: 'preview', paneKey }],
  };
}

function requestLedger({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const { ledger, nowMs, link, page } = model;
  if (page.kind !== 'explain' || ledger === null || link.kind !== 'up') return { model, effects };
  if (ledger.isLoading || nowMs - ledger.requestedAtMs < EXPLAIN_MS) return { model, effects };
  return {
    model: { ...model, ledger: { ...ledger, requestedAtMs: nowMs, isLoading: true } },
    effects: [...effects, { kind: 'explain', paneKey: ledger.paneKey }],
  };
}

function requestLog({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const { log, nowMs, link, page } = model;
  if (page.kind !== 'log' || log === null || link.kind !== 'up') return { model, effects };
  if (log.isLoading || nowMs - log.requestedAtMs < LOG_MS) return { model, effects };
  return {
    model: { ...model, log: { ...log, requestedAtMs: nowMs, isLoading: true } },
    effects: [...effects, { kind: 'read-log', paneKey: log.paneKey }],
  };
}
