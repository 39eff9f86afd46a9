// Small steps that the functions for keys are made of. Pure.

import type { PaneItem } from '../schema/api/panes.ts';
import type { Effect, Message, UpdateResult } from './message.ts';
import type { Model, Page } from './model.ts';

/** How long a notice is shown; any key removes it earlier. */
export const NOTICE_MS = 8_000;

/** A model with its effects. */
export const just = (model: Model, ...effects: readonly Effect[]): UpdateResult<Model> => ({
  model,
  effects,
});

/** An outcome that nobody can have read yet. */
export const unreadNotice = ({ notice, nowMs }: Model): Model['notice'] =>
  notice?.unreadUntilMs !== undefined && nowMs < notice.unreadUntilMs ? notice : null;

/** The model with a sentence in its footer, below an outcome that nobody can have read yet. */
export function withNotice(model: Model, text: string, isProblem = false): Model {
  const unread = unreadNotice(model);
  const notice = unread
    ? { ...unread, text: `${unread.text}\n${text}`, isProblem: isProblem || unread.isProblem }
    : { text, isProblem, untilMs: model.nowMs + NOTICE_MS };
  return { ...model, notice };
}

/** The page below the line that is edited, the question of ours, or the text that is read. */
function basePage({ inbox, messages, teams }: Model): Page {
  if (inbox !== null) return { kind: 'inbox' };
  if (messages !== null) return { kind: 'messages' };
  return { kind: teams === null ? 'list' : 'teams' };
}

export const closePage = (model: Model): Model => ({ ...model, page: basePage(model) });

/** Shows the pane in the person's client. */
export function jumpTo(model: Model, pane: PaneItem): UpdateResult<Model> {
  if (!pane.identity) return just(model);
  return just(model, { kind: 'jump', paneKey: pane.pane_key, place: pane.identity });
}

/** A problem outside of the model, for its footer. */
export const problemNotice = (text: string): Message => ({ type: 'notice', text, isProblem: true });
