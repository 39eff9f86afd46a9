// The keys of the inbox: what agents ask, one after the other, each answered by one key. What is
// answered is what was read: a key on something that changed meanwhile, or that has only just come
// up, answers nothing. Pure.

import { type InboxAction, inboxActionOf } from '../key-table.ts';
import type { Key } from '../keys.ts';
import type { UpdateResult } from '../message.ts';
import type { Model, Order, ShownRequest } from '../model.ts';
import {
  isThatRequest,
  openRequests,
  takesSeveral,
  unchangedRequest,
} from '../rows/open-requests.ts';
import { closePage, jumpTo, just, withNotice } from '../steps.ts';
import { areOptionsVisible, questionTopMax } from '../view/inbox-page.ts';
import { act } from './act.ts';
import { showNextWaiting, step, withShown } from './inbox-state.ts';
import { startReason, startReply, startSnooze } from './prompts.ts';

/** A key that repeats while it is held comes sooner. */
const READ_MS = 300;
const PAGE_ROWS = 5;
const WHEEL_ROWS = 3;

/** Answers what is shown, if it still is what is asked, and goes on to the next. */
function answer(model: Model, order: Order): UpdateResult<Model> {
  const { inbox } = model;
  const shown = inbox?.shown;
  if (!inbox || !shown) return just(model);
  if (model.nowMs - inbox.shownAtMs < READ_MS) {
    const text = 'Nothing was answered: this has just come up. Press the key again.';
    const again = { ...inbox, shownAtMs: model.nowMs };
    return just(withNotice({ ...model, inbox: again }, text, true));
  }
  if (order.kind !== 'deny' && isUnread(model)) return readFirst(model);
  const now = unchangedRequest(model, shown);
  if (now === null) return just(lookAgain(model, shown));
  const began = act(model, now, order);
  return {
    ...began,
    model: began.effects.length === 0 ? began.model : showNextWaiting(began.model),
  };
}

/** What was not on the screen to its end is not answered, but may be denied. */
const isUnread = (model: Model): boolean =>
  model.inbox !== null && !model.inbox.isRead && questionTopMax(model) > 0;

function readFirst(model: Model): UpdateResult<Model> {
  const text = 'Nothing was answered: there is more to read. PgDn or Space shows it.';
  return just(withNotice(model, text, true));
}

/** What is asked by now in the place of what was shown. */
function lookAgain(model: Model, shown: ShownRequest): Model {
  const same = openRequests(model).find((each) => isThatRequest(each, shown));
  const next = same ? withShown(model, same) : showNextWaiting(model);
  const text = same
    ? 'Nothing was answered: what is asked has changed. Look at it again.'
    : 'Nothing was answered: that is no longer asked.';
  return withNotice(next, text, true);
}

/** `approve` and `deny` are for approvals: a question has answers of its own. */
function decide(model: Model, kind: 'approve' | 'deny'): UpdateResult<Model> {
  const shown = model.inbox?.shown;
  if (shown?.request.kind === 'question') {
    return just(withNotice(model, 'This is a question: choose an option by its number.'));
  }
  return answer(model, { kind });
}

function denyWhy(model: Model): UpdateResult<Model> {
  const shown = model.inbox?.shown;
  if (shown?.request.kind === 'approval') return startReason(model, shown);
  return just(withNotice(model, 'Only an approval can be denied.'));
}

function choose(model: Model, number: number): UpdateResult<Model> {
  const shown = model.inbox?.shown;
  if (!shown) return just(model);
  const option = shown.request.detail?.options?.[number - 1];
  if (!option) return just(withNotice(model, `There is no option ${number}.`, true));
  if (!areOptionsVisible(model)) {
    return just(withNotice(model, 'Not all options fit here: s takes the number of one.', true));
  }
  if (takesSeveral(shown.request)) {
    return just(withNotice(model, 'Several may be chosen: s takes their numbers, as in 1,3.'));
  }
  return answer(model, { kind: 'answer', labels: [option.label], isSeveral: false });
}

function scroll(model: Model, by: number): Model {
  const { inbox } = model;
  if (inbox === null) return model;
  const topMax = questionTopMax(model);
  const top = Math.max(0, Math.min(topMax, inbox.top + by));
  return { ...model, inbox: { ...inbox, top, isRead: inbox.isRead || top === topMax } };
}

type OnKey = (model: Model, key: string) => UpdateResult<Model>;

const inboxActions: Readonly<Record<InboxAction, OnKey>> = {
  option: (model, key) => choose(model, Number(key)),
  approve: (model) => decide(model, 'approve'),
  deny: (model) => decide(model, 'deny'),
  'deny-why': denyWhy,
  reply: (model) => {
    if (!model.inbox?.shown) return just(model);
    return isUnread(model) ? readFirst(model) : startReply(model);
  },
  defer: startSnooze,
  jump: (model) => (model.inbox?.shown ? jumpTo(model, model.inbox.shown.pane) : just(model)),
  next: (model) => just(step(model, 1)),
  previous: (model) => just(step(model, -1)),
  'page-up': (model) => just(scroll(model, -PAGE_ROWS)),
  'page-down': (model) => just(scroll(model, PAGE_ROWS)),
  'scroll-up': (model) => just(scroll(model, -WHEEL_ROWS)),
  'scroll-down': (model) => just(scroll(model, WHEEL_ROWS)),
  'start-daemon': (model) =>
    model.link.kind === 'lost' ? just(model, { kind: 'start-daemon' }) : just(model),
  help: (model) => just({ ...model, page: { kind: 'help', top: 0 } }),
  close: (model) => just(closePage({ ...model, inbox: null })),
};

/** A key in the inbox; `word` is its name in the table of keys. */
export function updateOnInboxKey(model: Model, key: Key, word: string): UpdateResult<Model> {
  const action = key.kind === 'paste' || key.kind === 'click' ? null : inboxActionOf(word);
  return action === null ? just(model) : inboxActions[action](model, word);
}
