// Keys that act on the selected agent: each first shows what it is about to do, and to whom; Enter
// does it. What is acted on is what was shown, not what is there by then. Pure.

import type { Key } from '../keys.ts';
import type { UpdateResult } from '../message.ts';
import {
  type ConfirmPage,
  killSignals,
  type Model,
  type Order,
  type ShownAgent,
} from '../model.ts';
import { requestsOf, unchangedAgent } from '../rows/open-requests.ts';
import { focusedPane } from '../rows/selection.ts';
import { closePage, just, withNotice } from '../steps.ts';
import { fitsAnswer, fitsConfirm } from '../view/confirm-lines.ts';
import { act } from './act.ts';
import { openInbox } from './inbox-state.ts';
import { startReason } from './prompts.ts';

const after = <T>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;

const ask = (model: Model, shown: ShownAgent, order: Order): UpdateResult<Model> =>
  just({ ...model, page: { kind: 'confirm', order, shown } });

/** Shows what the selected agent asks, to approve or deny it. */
export function startApproval(model: Model, kind: 'approve' | 'deny'): UpdateResult<Model> {
  const pane = focusedPane(model);
  const requests = pane ? requestsOf(pane) : [];
  const [shown] = requests;
  if (!shown) return just(withNotice(model, 'No approval is asked for here.'));
  if (requests.length > 1) return openInbox(model, shown);
  if (shown.request.kind !== 'approval') {
    return just(withNotice(model, 'This is a question: s answers it, i shows it whole.'));
  }
  const page: ConfirmPage = { kind: 'confirm', order: { kind }, shown };
  // What is not seen whole is not approved by a line.
  return fitsConfirm(model, page) ? just({ ...model, page }) : openInbox(model, shown);
}

/** After the size changed: what does not fit any more is shown whole before it is answered. */
export function keepQuestionWhole(model: Model): UpdateResult<Model> {
  const { page, inbox } = model;
  if (page.kind !== 'confirm' && page.kind !== 'prompt') return just(model);
  const { pane, request } = page.shown ?? {};
  if (inbox !== null || !pane || !request) return just(model);
  const fits = page.kind === 'confirm' ? fitsConfirm(model, page) : fitsAnswer(model);
  return fits ? just(model) : openInbox(model, { pane, request });
}

export function startInterrupt(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(model);
  if (pane.presence !== 'managed') return just(withNotice(model, 'No agent is in this pane.'));
  if (pane.state !== 'running') {
    return just(withNotice(model, 'The agent is not working: there is nothing to stop.'));
  }
  return ask(model, { pane, request: null }, { kind: 'interrupt' });
}

export function startKill(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(model);
  if (pane.presence !== 'managed') return just(withNotice(model, 'No agent is in this pane.'));
  return ask(model, { pane, request: null }, { kind: 'kill', signal: killSignals[0] });
}

/** Enter does it, Tab takes the next signal or a reason, Escape goes back. */
export function updateOnConfirmKey(model: Model, page: ConfirmPage, key: Key): UpdateResult<Model> {
  if (key.kind === 'text' && key.text === 'q') return just(closePage(model));
  if (key.kind !== 'named') return just(model);
  const { order, shown } = page;
  if (key.name === 'escape') return just(closePage(model));
  if (key.name === 'tab' && order.kind === 'kill') {
    const next: Order = { kind: 'kill', signal: after(killSignals, order.signal) };
    return just({ ...model, page: { ...page, order: next } });
  }
  const { request } = shown;
  if (key.name === 'tab' && order.kind === 'deny' && request !== null) {
    return startReason(model, { ...shown, request });
  }
  if (key.name !== 'enter') return just(model);
  const back = closePage(model);
  const now = unchangedAgent(model, shown);
  if (now) return act(back, now, order);
  const text = 'Nothing was done: the agent has changed since it was shown. Look at it again.';
  return just(withNotice(back, text, true));
}
