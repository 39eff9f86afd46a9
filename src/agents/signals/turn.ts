// The moments of a turn that every agent has, whatever it calls them: a prompt, a tool, a dialog,
// an end. Each says what that moment proves and what it can end.

import type { ActivityPatch } from '../../schema/evidence.ts';
import { work } from './coverage.ts';
import { isQuestionTool, requestOf } from './request.ts';
import { claims, type Saying } from './saying.ts';
import { toolEnds, toolStarts } from './tool-activity.ts';

/** A dialog of a tool call: a question for the tools that ask, else an approval. */
export function asksForTool(tool: string | undefined, input: unknown): Saying {
  const says = isQuestionTool(tool) ? 'waiting_input' : 'waiting_approval';
  return claims(says, { covers: work, request: requestOf(tool, input) });
}

/** Work that a prompt began: whatever was open before is over. */
export const promptSubmitted = (activity: ActivityPatch): Saying => ({
  ...claims('running'),
  activity: { ...toolEnds, ...activity },
});

export const toolRuns = (tool: string | undefined, input: unknown): Saying => ({
  ...claims('running', { covers: work }),
  activity: toolStarts(tool, input),
});

export const toolFinished: Saying = { ...claims('running', { covers: work }), activity: toolEnds };

export const turnCompleted = (activity: ActivityPatch = {}): Saying => ({
  ...claims('completed'),
  activity: { ...toolEnds, ...activity },
});

/** A person stopped the turn. */
export const turnInterrupted: Saying = { ...claims('interrupted'), activity: toolEnds };
