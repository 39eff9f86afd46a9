// What a caller may have done to one pane, and starting ended agents again: which ones there are,
// the plan that the caller's own process carries out, and what came of it.

import { z } from 'zod';
import { loginItemSchema, replyHeader } from '../shapes.ts';
import { actionReportSchema } from './acting.ts';
import { paneItemSchema } from './panes.ts';
import { doneSchema, refSchema } from './shapes.ts';

const DAY_MS = 24 * 60 * 60_000;
/** What is put off for longer is forgotten. */
const SNOOZE_MS_MAX = 7 * DAY_MS;
/** As long as the store keeps ended agents. */
const WITHIN_MS_MAX = 14 * DAY_MS;
const ARGS_MAX = 32;
const ARG_LENGTH_MAX = 1_000;

export const endedAgentItemSchema = z.object({
  runtime_id: z.string(),
  agent: z.string(),
  target: z.string(),
  /** Where it was. The pane may be gone, and its id may name another one. */
  pane_key: z.string(),
  pane_id: z.string().nullable(),
  session_name: z.string().nullable(),
  path: z.string().nullable(),
  /** The agent's own id of its session. */
  session_key: z.string().nullable(),
  title: z.string().nullable(),
  prompt: z.string().nullable(),
  ended_at: z.iso.datetime(),
  /** Why it cannot be started again; null when it can. */
  blocker: z.string().nullable(),
  /** It ended when its tmux server did, as by a reboot: nobody has ended it alone. */
  with_server: z.boolean(),
  /** The bundle of which it was a member; `agtmux bundle up` starts it again. */
  bundle: z.string().nullable(),
});
export type EndedAgentItem = z.infer<typeof endedAgentItemSchema>;

export const endedAgentListSchema = z.object({
  ...replyHeader,
  agents: z.array(endedAgentItemSchema),
});

export const resumeInputSchema = z.strictObject({
  /** The id of a runtime or of an agent's session, a pane, or the name of an agent. */
  ref: refSchema.optional(),
  /** The agent that ended last, in place of a reference. */
  last: z.boolean().default(false),
  /** Words for the agent. No option of its earlier life is taken over. */
  args: z
    .array(z.string().min(1).max(ARG_LENGTH_MAX))
    .max(ARGS_MAX)
    .refine((args) => args.every((each) => !each.includes('\0')), 'holds a NUL')
    .default([]),
  /** Checks everything and begins nothing. */
  dry_run: z.boolean().default(false),
  /** The process that asks: one that an agent has started acts as that agent. */
  caller_pid: z.number().int().positive().optional(),
});
export type ResumeInput = z.output<typeof resumeInputSchema>;

export const resumePlanSchema = z.object({
  ...replyHeader,
  /** Null for a dry run. */
  action_id: z.string().nullable(),
  agent: endedAgentItemSchema,
  target_kind: z.enum(['local', 'ssh']),
  /** The socket of the tmux server, which may have ended. */
  server: z.string(),
  login: loginItemSchema,
  /** Program and arguments; no shell reads them. */
  argv: z.array(z.string()).min(1),
});
export type ResumePlan = z.infer<typeof resumePlanSchema>;

export const actionSchemas = {
  tag: {
    input: z.strictObject({ ref: refSchema, agent: z.string().min(1).max(64).nullable() }),
    output: doneSchema,
  },
  name_pane: {
    /** Null removes the name. */
    input: z.strictObject({ ref: refSchema, alias: z.string().min(1).max(1024).nullable() }),
    output: z.object({
      ...replyHeader,
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
  list_ended_agents: {
    input: z.strictObject({
      within_ms: z.number().positive().max(WITHIN_MS_MAX).default(DAY_MS),
    }),
    output: endedAgentListSchema,
  },
  resume: { input: resumeInputSchema, output: resumePlanSchema },
  resume_outcome: {
    input: z.strictObject({
      action_id: z.string().min(1).max(100),
      /** The pane in which the caller started it. */
      pane_id: z.string().max(32).optional(),
      /** Why the caller could not start it. */
      failure: z.string().min(1).max(1_000).optional(),
    }),
    output: actionReportSchema,
  },
} as const;
