// The machines that are watched, as the API shows them.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import { targetHealthSchema } from '../state.ts';
import { withoutPassword } from '../target.ts';
import { doneSchema, emptyInputSchema } from './shapes.ts';

/** Part of references (`pane:<target>/...`) and of file names: letters, digits, `.`, `_`, `-`. */
export const targetNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-", 64 at most');

/** What ssh is given: an alias of its configuration, or user@host. Never an option. */
export const connectionRefSchema = z
  .string()
  .regex(/^[^\s\p{Cc}-][^\s\p{Cc}]{0,255}$/u, 'a host as ssh knows it; it must not start with "-"')
  .refine((ref) => withoutPassword(ref) === ref, 'must hold no password: use a key or an agent')
  // ssh would look for a host of that name.
  .refine(
    (ref) => !/^[^:]*:\d+$/.test(ref),
    'a port is written as ssh://[USER@]HOST:PORT, or stands in ~/.ssh/config',
  );

export const targetItemSchema = z.object({
  target: z.string(),
  name: z.string(),
  kind: z.enum(['local', 'ssh']),
  connection_ref: z.string().nullable(),
  health: targetHealthSchema,
  /** Why it is not well, in words; null when it is. */
  detail: z.string().nullable(),
  /** When it last answered; null when it has not yet. */
  last_seen_at: z.iso.datetime().nullable(),
});
export type TargetItem = z.infer<typeof targetItemSchema>;

export const outageCodes = [
  'target_unreachable',
  'tmux_missing',
  'tmux_ended',
  'tmux_absent',
] as const;

/** A machine or a tmux server that cannot be watched now, or that ended with agents in it. */
export const outageSchema = z
  .object({
    code: z.enum(outageCodes),
    target: z.string(),
    /** The socket of the tmux server, where it is about one. */
    server: z.string().nullable(),
    since: z.iso.datetime(),
    /** A few words for a header: `build-box down`. */
    text: z.string(),
    /** Why, or what was lost with it. */
    detail: z.string().nullable(),
  })
  .meta({ id: 'Outage' });
export type OutageItem = z.infer<typeof outageSchema>;

export const targetListSchema = z.object({
  ...replyHeader,
  targets: z.array(targetItemSchema),
});
export type TargetList = z.infer<typeof targetListSchema>;

const targetInput = z.strictObject({ name: targetNameSchema });

export const targetSchemas = {
  list_targets: { input: emptyInputSchema, output: targetListSchema },
  add_target: {
    input: z.strictObject({
      name: targetNameSchema,
      kind: z.enum(['local', 'ssh']),
      /** Absent: the name is the ssh host. */
      connection_ref: connectionRefSchema.optional(),
    }),
    output: targetItemSchema,
  },
  connect_target: {
    input: z.strictObject({
      name: targetNameSchema,
      /** Answers after this time with how it is then; absent: 30 s. */
      timeout_ms: z.number().int().min(1).max(30_000).optional(),
    }),
    output: targetItemSchema,
  },
  remove_target: { input: targetInput, output: doneSchema },
} as const;
