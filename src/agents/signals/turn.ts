// The moments of a turn that every agent has, whatever it calls them: a prompt, a tool, a dialog,
// an end. Each says what that moment proves and what it can end.

import type { ActivityPatch } from '../../schema/evidence.ts';
import { work } from './coverage.ts';
import { describeRequest, isQuestionTool } from './request.ts';
import { claim, type SignalContent } from './signal-content.ts';
import { describeTool, noTool } from './tool-activity.ts';

/** A dialog of a tool call: a question for the tools that ask, else an approval. */
export function toolDialog(tool: string | undefined, input: unknown): SignalContent {
  const says = isQuestionTool(tool) ? 'waiting_input' : 'waiting_approval';
  return claim(says, { covers: work, request: describeRequest(tool, input) });
}

/** Work after a prompt: everything that was open before is over. */
export const promptSubmitted = (activity: ActivityPatch): SignalContent => ({
  ...claim('running'),
  activity: { ...noTool, ...activity },
});

export const toolStarted = (tool: string | undefined, input: unknown): SignalContent => ({
  ...claim('running', { covers: work }),
  activity: describeTool(tool, input),
});

export const toolFinished: SignalContent = {
  ...claim('running', { covers: work }),
  activity: noTool,
};

export const turnCompleted = (activity: ActivityPatch = {}): SignalContent => ({
  ...claim('completed'),
  activity: { ...noTool, ...activity },
});

/** A person stopped the turn. */
export const turnInterrupted: SignalContent = { ...claim('interrupted'), activity: noTool };
