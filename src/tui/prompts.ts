// The lines in which a person types how long to snooze a request, the name of a pane, the answer to
// a question or a prompt. Pure.

import { parseDuration } from '../platform/text/duration.ts';
import { needsPerson } from '../text/need.ts';
import type { Key } from './keys.ts';
import type { UpdateResult } from './message.ts';
import type { Model, PromptPage, ShownAgent } from './model.ts';
import { selectedRow } from './rows/selection.ts';
import { just, withNotice } from './steps.ts';

const SNOOZE_TEXT = '30m';
const TEXT_LENGTH_MAX = 100;
const PROMPT_LENGTH_MAX = 2_000;
/** The daemon takes a second to a week. */
const SNOOZE_MS_MIN = 1_000;
const SNOOZE_MS_MAX = 7 * 86_400_000;

/** Asks for how long; a pane that is snoozed already is woken at once. */
export function startSnooze(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
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
  const pane = selectedRow(model)?.pane;
  if (!pane) return just(model);
  const text = pane.alias ?? '';
  return just(withPrompt(model, { about: 'name', paneKey: pane.pane_key, text }));
}

/** Asks for the answer to what the agent asks, or for a prompt where it asks nothing. */
export function startReply(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
  if (!pane) return just(model);
  if (pane.presence !== 'managed') return just(withNotice(model, 'No agent is in this pane.'));
  const { pane_key: paneKey, runtime_id: runtimeId, state_version: stateVersion } = pane;
  const open = pane.attention.requests.filter(
    ({ kind }) => kind === 'approval' || kind === 'question',
  );
  const [request] = open;
  if (open.length > 1 || (request && !request.detail?.options?.length)) {
    return just(withNotice(model, 'Answer it in the pane: Enter shows it.'));
  }
  const labels = request?.detail?.options?.map(({ label }) => label) ?? [];
  const shown = {
    runtimeId,
    stateVersion,
    request: request ? { requestId: request.request_id, labels } : null,
  };
  return just(withPrompt(model, { about: request ? 'answer' : 'send', paneKey, text: '', shown }));
}

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
      return just({ ...model, page: { kind: 'list' } });
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
  // A name is edited; a time is typed anew.
  const before = page.isUntouched && page.about === 'snooze' ? '' : page.text;
  const lengthMax = page.about === 'send' ? PROMPT_LENGTH_MAX : TEXT_LENGTH_MAX;
  const text = (before + input.replace(/\s+/g, ' ')).slice(0, lengthMax);
  return { ...model, page: { ...page, text, isUntouched: false } };
}

function accept(model: Model, page: PromptPage): UpdateResult<Model> {
  const { paneKey } = page;
  const text = page.text.trim();
  const back: Model = { ...model, page: { kind: 'list' } };
  if (page.about === 'name') {
    return just(back, { kind: 'name', paneKey, alias: text === '' ? null : text });
  }
  if (page.shown) return reply(back, paneKey, text, page.shown);
  const forMs = parseDuration(text);
  if (forMs === null || forMs < SNOOZE_MS_MIN || forMs > SNOOZE_MS_MAX) {
    const problem = `"${text}" is not a time from 1s to 7d: write 30m or 2h.`;
    return just(withNotice(back, problem, true));
  }
  return just(back, { kind: 'snooze', paneKey, forMs });
}

/** An option by its number or its label, or the prompt as it was typed. */
function reply(
  model: Model,
  paneKey: string,
  text: string,
  shown: ShownAgent,
): UpdateResult<Model> {
  if (text === '') return just(model);
  if (shown.request === null) return just(model, { kind: 'send', paneKey, text, shown });
  const { labels } = shown.request;
  const label = /^\d{1,2}$/.test(text) ? labels[Number(text) - 1] : text;
  if (label === undefined) {
    return just(withNotice(model, `There is no option ${text}: 1 to ${labels.length}.`, true));
  }
  return just(model, { kind: 'answer', paneKey, label, shown });
}
