// The lines in which a person types how long to snooze a request, or the name of a pane. Pure.

import { parseDuration } from '../platform/text/duration.ts';
import { needsPerson } from '../text/need.ts';
import type { Key } from './keys.ts';
import type { UpdateResult } from './message.ts';
import type { Model, PromptPage } from './model.ts';
import { selectedRow } from './rows/selection.ts';
import { just, withNotice } from './steps.ts';

const SNOOZE_TEXT = '30m';
const TEXT_LENGTH_MAX = 100;
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

const withPrompt = (
  model: Model,
  prompt: Pick<PromptPage, 'about' | 'paneKey' | 'text'>,
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
  const text = (before + input.replace(/\s+/g, ' ')).slice(0, TEXT_LENGTH_MAX);
  return { ...model, page: { ...page, text, isUntouched: false } };
}

function accept(model: Model, page: PromptPage): UpdateResult<Model> {
  const { paneKey } = page;
  const text = page.text.trim();
  const back: Model = { ...model, page: { kind: 'list' } };
  if (page.about === 'name') {
    return just(back, { kind: 'name', paneKey, alias: text === '' ? null : text });
  }
  const forMs = parseDuration(text);
  if (forMs === null || forMs < SNOOZE_MS_MIN || forMs > SNOOZE_MS_MAX) {
    const problem = `"${text}" is not a time from 1s to 7d: write 30m or 2h.`;
    return just(withNotice(back, problem, true));
  }
  return just(back, { kind: 'snooze', paneKey, forMs });
}
