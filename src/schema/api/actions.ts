// What a caller may have done to one pane.

import { z } from 'zod';
import { doneSchema, refSchema } from './shapes.ts';

export const actionSchemas = {
  tag: {
    input: z.strictObject({ ref: refSchema, agent: z.string().min(1).max(64).nullable() }),
    output: doneSchema,
  },
  mark_seen: {
    input: z.strictObject({
      ref: refSchema,
      /** Absent: everything that is open in the pane. */
      request_ids: z.array(z.string().min(1).max(2048)).max(256).optional(),
    }),
    output: doneSchema,
  },
} as const;
