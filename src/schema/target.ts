// A target: a machine that agtmux watches. Only a non-secret connection reference is kept.

import { z } from 'zod';
import type { TargetId } from './ids.ts';
import { branded } from './shapes.ts';
import { targetHealthSchema } from './state.ts';

export const targetSchema = z.object({
  targetId: branded<TargetId>(),
  name: z.string().min(1).max(128),
  kind: z.enum(['local', 'ssh']),
  /** An ssh host alias. A value that starts with `-` would be read as an option by ssh. */
  connectionRef: z
    .string()
    .max(256)
    .refine((value) => !value.startsWith('-'), 'must not start with "-"')
    .nullable(),
  health: targetHealthSchema,
});
export type Target = z.infer<typeof targetSchema>;
