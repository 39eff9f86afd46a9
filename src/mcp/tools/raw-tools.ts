// Typing into a pane as it is. Off unless the policy of the caller has granted it.

import { z } from 'zod';
import { destructive, type Tool, tool } from '../tool.ts';
import { shortText, toolReply } from '../tool-result.ts';
import { ACTION_MS } from './tool-inputs.ts';

const rawWrite = tool({
  name: 'raw_write',
  title: 'Type into a pane',
  description:
    'Types a text as it is into the pane of another agent, without waiting for its turn to end. ' +
    'Off unless policies.toml grants raww to you. Almost always send_message is what you want.',
  input: z.object({
    ref: z.string().min(1).max(512).describe('Whose pane: a ref, or a member such as coder'),
    text: z.string().min(1).max(16_000).describe('What to type'),
    enter: z.boolean().default(true).describe('Press Enter after it'),
    request_id: z.string().min(1).max(200).optional().describe('The same id twice types once'),
  }),
  annotations: destructive,
  run: async ({ call, prove }, { ref, text, enter, request_id: requestRef }) => {
    await prove();
    const {
      result,
      detail,
      action_id: actionId,
    } = await call(
      'write_raw',
      { ref, text, enter, ...(requestRef === undefined ? {} : { request_ref: requestRef }) },
      { timeoutMs: ACTION_MS },
    );
    return toolReply({ result, detail: shortText(detail, 400), action_id: actionId });
  },
});

export const rawTools: readonly Tool[] = [rawWrite];
