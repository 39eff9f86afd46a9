// What an agent is doing, in one line, from its tool calls and prompts.

import type { ActivityPatch } from '../../schema/evidence.ts';
import { countAt, cut, type Fields, textAt } from './fields.ts';
import { describeApproval } from './request.ts';

const LINE_LENGTH_MAX = 300;
/** A few lines of a preview. */
const MESSAGE_LENGTH_MAX = 1_000;

/** `Bash: rm -rf build`, `Edit: src/a.ts`, or the tool's name alone. */
export function describeTool(tool: string | undefined, input: unknown): ActivityPatch {
  if (tool === undefined) return {};
  const { command, file } = describeApproval(tool, input);
  const object = command ?? file;
  return { tool: cut(object === undefined ? tool : `${tool}: ${object}`, LINE_LENGTH_MAX) };
}

export const noTool: ActivityPatch = { tool: null };

/** The person's prompt; prompts that the agent makes for itself are in tags. */
export function describePrompt(fields: Fields, ...paths: readonly string[]): ActivityPatch {
  const prompt = textAt(fields, ...paths);
  return prompt === undefined || prompt.startsWith('<') ? {} : { prompt };
}

/** The agent's last words to the person. */
export function describeMessage(fields: Fields, ...paths: readonly string[]): ActivityPatch {
  const message = textAt(fields, ...paths);
  return message === undefined ? {} : { message: cut(message, MESSAGE_LENGTH_MAX) };
}

/** How full the context window is, from the paths of the count and of its maximum. */
export function contextUsage(fields: Fields, used: string, most?: string): ActivityPatch {
  const contextUsed = countAt(fields, used);
  const contextMax = most === undefined ? undefined : countAt(fields, most);
  if (contextUsed === undefined) return {};
  return { usage: { contextUsed, ...(contextMax === undefined ? {} : { contextMax }) } };
}
