// The next model after a message, and what is to be done. Pure: no clock, no terminal, no daemon.
// Keys are update-keys.ts; here is what comes from the daemon, from time and from the terminal.

import type { PushMessage } from '../client/client.ts';
import type { PaneItem } from '../schema/api/panes.ts';
import { isPreviewShown } from './layout.ts';
import type { Effect, Message, UpdateResult } from './message.ts';
import type { Model } from './model.ts';
import { followSelection, selectedRow } from './selection.ts';
import { ledgerTopMax } from './text-pages.ts';
import { updateOnKey } from './update-on-key.ts';

/** Between two looks at the screen of the selected pane. */
const PREVIEW_MS = 500;
/** The same after so many looks that showed nothing new. */
const PREVIEW_QUIET_MS = 2_000;
const QUIET_AFTER = 8;
const EXPLAIN_MS = 2_000;
/** Ages count seconds. */
const TICK_MS = 1_000;
/** A sentence is read in this time; any key takes it away before. */
const NOTICE_MS = 8_000;

const isQuiet = ({ preview }: Model): boolean =>
  preview === null || preview.problem !== null || preview.unchanged > QUIET_AFTER;

/** When the view next wants to know the time: sooner while a screen changes before its eyes. */
export const tickMs = (model: Model): number =>
  isPreviewShown(model) && !isQuiet(model) ? PREVIEW_MS : TICK_MS;

export function update(model: Model, message: Message): UpdateResult<Model> {
  switch (message.type) {
    case 'key': {
      const step = updateOnKey({ ...model, notice: null }, message.key);
      return withRequests(step.model, step.effects);
    }
    case 'tick':
      return withRequests(onTick(model, message.nowMs), []);
    case 'resized':
      return withRequests(clampScroll({ ...model, size: message.size }), []);
    case 'push':
      return withRequests(onPush(model, message.push), []);
    case 'link':
      return withRequests(onLink(model, message.link), []);
    case 'previewed':
      return withRequests(onPreview(model, message), []);
    case 'explained':
      return withRequests(clampScroll(onExplained(model, message)), []);
    case 'notice': {
      const { text, isProblem } = message;
      const notice = { text, isProblem, untilMs: model.nowMs + NOTICE_MS };
      return { model: { ...model, notice }, effects: [] };
    }
  }
}

function onTick(model: Model, nowMs: number): Model {
  const isOver = model.notice !== null && nowMs >= model.notice.untilMs;
  return { ...model, nowMs, notice: isOver ? null : model.notice };
}

function onLink(model: Model, link: 'lost' | 'back'): Model {
  if (link === 'back') return { ...model, link: { kind: 'up' } };
  if (model.link.kind === 'lost') return model;
  return { ...model, link: { kind: 'lost', sinceMs: model.nowMs } };
}

function onPush(model: Model, push: PushMessage): Model {
  const up: Model = { ...model, link: { kind: 'up' } };
  switch (push.type) {
    case 'snapshot': {
      const panes = new Map(push.data.panes.map((pane) => [pane.pane_key, pane]));
      return followSelection({ ...up, panes, summary: push.data.summary }, model);
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
      return { ...up, summary: push.data.summary };
  }
}

/** A pane that changed is worth a look at once. */
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

/** After the size or the text changed: the page does not stand below its end. */
function clampScroll(model: Model): Model {
  const { page } = model;
  if (page.kind !== 'explain') return model;
  const top = Math.max(0, Math.min(page.top, ledgerTopMax(model)));
  return top === page.top ? model : { ...model, page: { ...page, top } };
}

/** Asks for the screen and the ledger of what is looked at, one question of each at a time. */
function withRequests(model: Model, effects: readonly Effect[]): UpdateResult<Model> {
  const step = requestPreview({ model, effects });
  return requestLedger(step);
}

function requestPreview({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const paneKey = selectedRow(model)?.pane.pane_key ?? null;
  if (model.link.kind !== 'up' || paneKey === null || !isPreviewShown(model)) {
    return { model, effects };
  }
  const { preview, nowMs } = model;
  const isOther = preview?.paneKey !== paneKey;
  if (preview && !isOther) {
    const everyMs = isQuiet(model) ? PREVIEW_QUIET_MS : PREVIEW_MS;
    if (preview.isLoading || nowMs - preview.requestedAtMs < everyMs) return { model, effects };
  }
  const asked = {
    ...(preview && !isOther ? preview : { screen: null, problem: null, unchanged: 0 }),
    paneKey,
    requestedAtMs: nowMs,
    isLoading: true,
  };
  return {
    model: { ...model, preview: asked },
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
