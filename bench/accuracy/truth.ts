// What counts as right. Screen only, `completed` and `idle` are one class, because nothing on a
// screen tells them apart; with signals they are two. The rules are those of corpus/README.md.

import type { PaneClassification } from '../../src/agents/classify/classify-pane.ts';
import type { Recording } from './corpus.ts';

export type Mode = 'screen' | 'signals';

export const stateClasses = {
  screen: ['running', 'waiting_approval', 'waiting_input', 'error', 'rest'],
  signals: ['running', 'waiting_approval', 'waiting_input', 'error', 'completed', 'idle'],
} as const;

/** Answers that are no state: nothing was proven, no agent seen, or another agent named. */
export const NO_AGENT = 'no_agent';
export const UNKNOWN = 'unknown';
export const WRONG_AGENT = 'wrong_agent';

const mergeRest = (state: string, mode: Mode): string =>
  mode === 'screen' && (state === 'completed' || state === 'idle') ? 'rest' : state;

/** The class that the recording belongs to. */
export function truthOf({ label }: Recording, mode: Mode): string {
  return mergeRest(isPlainQuestion(label) ? 'completed' : label.state, mode);
}

// No signal or mark separates a question in plain text from the end of a turn.
function isPlainQuestion({ state, notes, alt_state: other }: Recording['label']): boolean {
  return (
    (state === 'waiting_input' && /plain[- ]text question/i.test(notes)) ||
    (state === 'completed' && other === 'waiting_input')
  );
}

/** The class of an answer. */
export function answerOf(answer: PaneClassification, recording: Recording, mode: Mode): string {
  if (answer.presence === 'unmanaged') return NO_AGENT;
  const { label } = recording;
  if (label.state !== NO_AGENT && answer.agent !== label.agent) return WRONG_AGENT;
  const answeredClass = mergeRest(answer.state, mode);
  // A picker that the person opened may be called waiting or idle; both count as its label.
  const other = label.alt_state;
  const accepted =
    other !== undefined &&
    label.state === 'waiting_input' &&
    mergeRest(other, mode) === answeredClass;
  return accepted ? truthOf(recording, mode) : answeredClass;
}
