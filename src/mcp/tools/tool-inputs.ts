// Inputs and limits that several tools share.

import { z } from 'zod';

/** The longest wait of one call: some hosts end a call after 60 s. */
export const WAIT_S_MAX = 50;
/** The daemon answers at the end of a wait; its reply has to arrive. */
export const REPLY_MS = 5_000;
/** It looks, presses keys and waits for proof, after other actions on the pane. */
export const ACTION_MS = 65_000;

export const messageId: z.ZodString = z
  .string()
  .min(1)
  .max(64)
  .describe('Message-Id of the envelope, or message_id of inbox');
