// What a caller may have done to one pane.

import { z } from 'zod';
import { paneItemSchema } from './panes.ts';
import { doneSchema, refSchema } from './shapes.ts';

/** What is put off for longer is forgotten. */
const SNOOZE_MS_MAX = 7 * 86_400_000;

export const actionSchemas = {
  tag: {
    input: z.strictObject({ ref: refSchema, agent: z.string().min(1).max(64).nullable() }),
    output: doneSchema,
  },
  name_pane: {
    /** Null removes the name. */
    input: z.strictObject({ ref: refSchema, alias: z.string().min(1).max(1024).nullable() }),
    output: z.object({
      schema_version: z.literal(1),
      generated_at: z.iso.datetime(),
      pane: paneItemSchema,
    }),
  },
  mark_seen: {
    input: z.strictObject({
      ref: refSchema,
      /** Absent: everything that is open in the pane. */
      request_ids: z.array(z.string().min(1).max(2048)).max(256).optional(),
    }),
    output: doneSchema,
  },
  snooze: {
    input: z.strictObject({
      ref: refSchema,
      /** Absent: 30 minutes. */
      for_ms: z.number().int().min(1_000).max(SNOOZE_MS_MAX).optional(),
    }),
    output: z.object({ ok: z.literal(true), snoozed_until: z.iso.datetime() }),
  },
  unsnooze: { input: z.strictObject({ ref: refSchema }), output: doneSchema },
} as const;
