// Small steps that the functions for keys are made of. Pure.

import type { Effect, UpdateResult } from './message.ts';
import type { Model } from './model.ts';

/** How long a notice is shown; any key removes it earlier. */
export const NOTICE_MS = 8_000;

/** A model with its effects. */
export const just = (model: Model, ...effects: readonly Effect[]): UpdateResult<Model> => ({
  model,
  effects,
});

/** The model with a sentence in its footer. */
export const withNotice = (model: Model, text: string, isProblem = false): Model => ({
  ...model,
  notice: { text, isProblem, untilMs: model.nowMs + NOTICE_MS },
});
