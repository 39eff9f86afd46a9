// The lines in which a person types how long to snooze a request, the name of a pane, the answer to
// a question or a prompt. Pure.

import { parseDuration } from '../../platform/text/duration.ts';
import { needsPerson } from '../../text/need.ts';
import { readOptionNumbers } from '../../text/option-numbers.ts';
import type { Key } from '../keys.ts';
import type { UpdateResult } from '../message.ts';
import type { Model, Order, PaneRequest, PromptPage, ShownAgent, ShownRequest } from '../model.ts';
import { optionLabels, requestsOf, takesSeveral, unchangedAgent } from '../rows/open-requests.ts';
import { focusedPane } from '../rows/selection.ts';
import { closePage, just, withNotice } from '../steps.ts';
import { fitsAnswer } from '../view/confirm-lines.ts';
import { act } from './act.ts';
import { openInbox, showNextWaiting } from './inbox-state.ts';

const SNOOZE_TEXT = '30m';
const TEXT_LENGTH_MAX = 100;
/** The daemon takes no more. */
const ANSWER_LENGTH_MAX = 1_000;
const PROMPT_LENGTH_MAX = 20_000;
/** The daemon takes a second to a week. */
const SNOOZE_MS_MIN = 1_000;
const SNOOZE_MS_MAX = 7 * 86_400_000;

/** Asks for how long; a pane that is snoozed already is woken at once. */
export function startSnooze(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(model);
  const { pane_key: paneKey, attention } = pane;
  if (attention.snoozed_until !== null) return just(model, { kind: 'unsnooze', paneKey });
  if (!needsPerson(pane)) {
    return just(withNotice(model, 'Only an agent that needs you can be snoozed.'));
  }
  return just(withPrompt(model, { about: 'snooze', paneKey, text: SNOOZE_TEXT }));
}

/** Asks for a name. */
export function startNaming(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(model);
  const text = pane.alias ?? '';
  return just(withPrompt(model, { about: 'name', paneKey: pane.pane_key, text }));
}

/** Asks for the answer to what the agent asks, or for a prompt where it asks nothing. */
export function startReply(model: Model): UpdateResult<Model> {
  const pane = focusedPane(model);
  if (!pane) return just(model);
  if (pane.presence !== 'managed') return just(withNotice(model, 'No agent is in this pane.'));
  const { pane_key: paneKey } = pane;
  const requests = model.inbox?.shown ? [model.inbox.shown] : requestsOf(pane);
  const [shown] = requests;
  if (!shown) {
    const text = model.draft?.paneKey === paneKey ? model.draft.text : '';
    return just(
      withPrompt(model, { about: 'send', paneKey, text, shown: { pane, request: null } }),
    );
  }
  if (requests.length > 1) return openInbox(model, shown);
  if (optionLabels(shown.request).length === 0 && shown.request.kind === 'approval') {
    const text = 'Its options are not known: Enter shows the pane; A approves, D denies.';
    return just(withNotice(model, text));
  }
  if (optionLabels(shown.request).length === 0 && !shown.request.takes_text) {
    return just(withNotice(model, 'It takes no text from here: Enter shows the pane.'));
  }
  const asking = withPrompt(model, { about: 'answer', paneKey, text: '', shown });
  // What is not seen whole is not answered in a line.
  return fitsAnswer(asking) ? just(asking) : openInbox(model, shown);
}

/** Asks why an approval is denied. */
export const startReason = (model: Model, shown: ShownRequest): UpdateResult<Model> =>
  just(withPrompt(model, { about: 'reason', paneKey: shown.pane.pane_key, text: '', shown }));

const withPrompt = (
  model: Model,
  prompt: Pick<PromptPage, 'about' | 'paneKey' | 'text' | 'shown'>,
): Model => ({ ...model, page: { kind: 'prompt', ...prompt, isUntouched: true } });

/** A key in the line. */
export function updateOnPromptKey(model: Model, page: PromptPage, key: Key): UpdateResult<Model> {
  if (key.kind === 'click') return just(model);
  if (key.kind !== 'named') return just(typed(model, page, key.text));
  switch (key.name) {
    case 'enter':
      return accept(model, page);
    case 'escape':
      return just(closePage(model));
    case 'backspace': {
      const text = [...page.text].slice(0, -1).join('');
      return just({ ...model, page: { ...page, text, isUntouched: false } });
    }
    case 'ctrl-u':
      return just({ ...model, page: { ...page, text: '', isUntouched: false } });
    default:
      return just(model);
  }
}

function typed(model: Model, page: PromptPage, input: string): Model {
  if (page.about === 'send') return typedPrompt(model, page, input);
  // A name is edited; a time is typed anew.
  const before = page.isUntouched && page.about === 'snooze' ? '' : page.text;
  const lengthMax = page.shown === undefined ? TEXT_LENGTH_MAX : ANSWER_LENGTH_MAX;
  const text = (before + input.replace(/\s+/g, ' ')).slice(0, lengthMax);
  return { ...model, page: { ...page, text, isUntouched: false } };
}

/** The lines of a paste stay lines, and nothing is cut: half a prompt is another one. */
function typedPrompt(model: Model, page: PromptPage, input: string): Model {
  const text = page.text + input.replace(/\r\n?/g, '\n');
  if (text.length > PROMPT_LENGTH_MAX) {
    const words = `Nothing was added: a prompt from here has at most ${PROMPT_LENGTH_MAX} letters.`;
    return withNotice(model, words, true);
  }
  return { ...model, page: { ...page, text, isUntouched: false } };
}

function accept(model: Model, page: PromptPage): UpdateResult<Model> {
  const { paneKey } = page;
  const text = page.text.trim();
  const back = closePage(model);
  if (page.about === 'name') {
    return just(back, { kind: 'name', paneKey, alias: text === '' ? null : text });
  }
  if (page.shown?.request && page.about === 'reason') {
    const order: Order = { kind: 'deny', ...(text === '' ? {} : { reason: text }) };
    return answer(model, { ...page.shown, request: page.shown.request }, order);
  }
  if (page.shown) return text === '' ? just(back) : reply(model, page, page.shown, text);
  const forMs = parseDuration(text);
  if (forMs === null || forMs < SNOOZE_MS_MIN || forMs > SNOOZE_MS_MAX) {
    const problem = `"${text}" is not a time from 1s to 7d: write 30m or 2h.`;
    return just(withNotice(back, problem, true));
  }
  const next = back.inbox === null ? back : showNextWaiting(back);
  return just(next, { kind: 'snooze', paneKey, forMs });
}

/** An option by its number or its label, or the prompt as it was typed. */
function reply(
  model: Model,
  page: PromptPage,
  shown: ShownAgent,
  text: string,
): UpdateResult<Model> {
  const { request } = shown;
  if (request === null) return sendPrompt(model, page, shown, text);
  const order = readAnswer(request, text);
  if ('problem' in order) return just(withNotice(closePage(model), order.problem, true));
  return answer(model, { ...shown, request }, order);
}

/** The text is kept while the agent changes under it: Enter again sends it all the same. */
function sendPrompt(
  model: Model,
  page: PromptPage,
  shown: ShownAgent,
  text: string,
): UpdateResult<Model> {
  if (unchangedAgent(model, shown)) {
    const began = act(model, shown, { kind: 'send', text });
    // Whoever leaves the line to start the daemon finds the text again.
    const draft = { paneKey: page.paneKey, text };
    if (isRefused(began)) return just({ ...began.model, draft });
    return { ...began, model: { ...closePage(began.model), draft: null } };
  }
  const kept: Model = { ...closePage(model), draft: { paneKey: page.paneKey, text } };
  const pane = model.panes.get(page.paneKey);
  if (pane?.presence !== 'managed' || pane.runtime_id !== shown.pane.runtime_id) {
    return just(withNotice(kept, 'Nothing was sent: that agent is gone.', true));
  }
  const again: Model = { ...model, page: { ...page, shown: { pane, request: null } } };
  const words = `Not sent yet: the agent is ${pane.state} by now. Enter sends it all the same.`;
  return just(withNotice(again, words, true));
}

/** Numbers of options, the start of a label, or an answer of one's own to a question. */
function readAnswer(request: PaneRequest, text: string): Order | { readonly problem: string } {
  const labels = optionLabels(request);
  const numbers = readOptionNumbers(text);
  if (numbers !== null) return byNumbers(request, numbers, labels);
  const wanted = text.toLowerCase();
  const exact = labels.filter((label) => label.toLowerCase() === wanted);
  const fits = labels.filter((label) => label.toLowerCase().startsWith(wanted));
  const [label, other] = exact.length > 0 ? exact : fits;
  if (other !== undefined) return { problem: `Several options begin so: ${text}` };
  if (label !== undefined) return choice(request, [label]);
  if (request.takes_text) return { kind: 'own-answer', text };
  return { problem: `No option begins so: ${text}` };
}

function byNumbers(
  request: PaneRequest,
  numbers: readonly number[],
  labels: readonly string[],
): Order | { readonly problem: string } {
  const missing = numbers.find((number) => labels[number - 1] === undefined);
  if (missing === undefined) {
    const chosen = numbers.flatMap((number) => labels[number - 1] ?? []);
    return choice(request, chosen);
  }
  return { problem: `There is no option ${missing}: 1 to ${labels.length}.` };
}

const choice = (request: PaneRequest, labels: readonly string[]): Order => ({
  kind: 'answer',
  labels,
  isSeveral: labels.length > 1 || takesSeveral(request),
});

/** Refused before it began: the line stays as it was typed, for another Enter. */
const isRefused = ({ effects }: UpdateResult<Model>): boolean => effects.length === 0;

function answer(model: Model, shown: ShownRequest, order: Order): UpdateResult<Model> {
  const now = unchangedAgent(model, shown);
  if (now === null) {
    const words = 'Nothing was answered: what is asked has changed. Look at it again.';
    return just(withNotice(closePage(model), words, true));
  }
  const began = act(model, now, order);
  if (isRefused(began)) return began;
  const next = closePage(began.model);
  return { ...began, model: next.inbox === null ? next : showNextWaiting(next) };
}
