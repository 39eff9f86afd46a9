// A target: a machine that agtmux watches. Only a non-secret connection reference is kept.

import { z } from 'zod';
import type { TargetId } from './ids.ts';
import { atMsSchema, branded } from './shapes.ts';
import { targetHealthSchema } from './state.ts';

/** What ssh is given, without a password: `ssh://user:secret@host` becomes `ssh://user@host`. */
export function withoutPassword(connectionRef: string): string {
  const scheme = /^[a-z]+:\/\//i.exec(connectionRef)?.[0] ?? '';
  const rest = connectionRef.slice(scheme.length);
  const colon = rest.indexOf(':');
  const at = rest.lastIndexOf('@');
  return colon < 0 || at < colon ? connectionRef : scheme + rest.slice(0, colon) + rest.slice(at);
}

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
  /** When it last answered, as of its last change of health. Absent: never, or not known. */
  answeredAtMs: atMsSchema.optional(),
});
export type Target = z.infer<typeof targetSchema>;
