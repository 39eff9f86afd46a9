// A recording of one pane, in the format of the corpus (schema/record.ts), redacted.

import { z } from 'zod';
import { labelRecordSchema } from '../record.ts';
import { refSchema } from './shapes.ts';

export const recordPaneInputSchema = z.strictObject({
  ref: refSchema,
  /** The true state, where a person names it; absent: what the daemon reports. */
  label: labelRecordSchema.shape.state.optional(),
  /** How many minutes of evidence. */
  minutes: z.number().positive().max(10_000).optional(),
});

export const recordingSchemas = {
  record_pane: {
    input: recordPaneInputSchema,
    output: z.object({
      schema_version: z.literal(1),
      generated_at: z.iso.datetime(),
      recording: z.record(z.string(), z.unknown()),
    }),
  },
} as const;
