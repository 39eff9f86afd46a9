// ACP members: agents without a terminal, which the daemon starts itself and talks to over their
// stdio. Prompts, answers and interrupts are the operations of every agent; here is what only they
// have.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';

/** A bundle and one of its members, with a slash. */
const NAME_MAX = 96;
const WORDS_MAX = 64;
const WORD_LENGTH_MAX = 8_192;
const UPDATES_MAX = 500;
const DAY_MS = 86_400_000;

const acpNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_./-]*$/, 'is no name: letters, digits and _ . / -')
  .max(NAME_MAX);
const wordSchema = z.string().max(WORD_LENGTH_MAX);
const agentSchema = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'is no name of an agent');

export const acpStatuses = [
  'starting',
  'ready',
  'auth_required',
  'waiting',
  'failed',
  'stopped',
] as const;

export const acpMemberSchema = z
  .object({
    name: z.string(),
    agent: z.string(),
    /** `starting` until it has a session; `waiting` before it is started again. */
    status: z.enum(acpStatuses),
    in_turn: z.boolean(),
    /** Why it is in its status. */
    detail: z.string().nullable(),
    pid: z.number().int().positive().nullable(),
    session_id: z.string().nullable(),
    pane_key: z.string(),
    cwd: z.string(),
    argv: z.array(z.string()),
    /** Starts in a row that failed. */
    restarts: z.number().int().nonnegative(),
    /** The end of what it printed besides its messages. */
    stderr: z.string(),
  })
  .meta({ id: 'AcpMember' });
export type AcpMemberItem = z.infer<typeof acpMemberSchema>;

const startSchema = z.strictObject({
  name: acpNameSchema,
  /** What is known to speak ACP by name; with `argv`, the kind of agent. Absent: as it was. */
  agent: agentSchema.optional(),
  /** The program and its arguments; no shell reads them. */
  argv: z.array(wordSchema).min(1).max(WORDS_MAX).optional(),
  cwd: z.string().startsWith('/', 'is no absolute path').max(4_096).optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), z.string().max(32_768))
    .optional(),
  /** Goes on with this session of the agent. */
  session_id: z.string().min(1).max(512).optional(),
  /** How it logs in, of the methods that it offers. */
  auth_method: z.string().min(1).max(128).optional(),
  /** It gets the tools of agtmux with its session. */
  with_tools: z.boolean().default(true),
  start_timeout_ms: z.number().int().min(1_000).max(600_000).optional(),
  turn_timeout_ms: z.number().int().min(1_000).max(DAY_MS).optional(),
  caller_pid: z.number().int().positive().optional(),
});
export type StartAcpInput = z.output<typeof startSchema>;

const nameInput = { name: acpNameSchema, caller_pid: z.number().int().positive().optional() };

const updatesInputSchema = z.strictObject({
  name: acpNameSchema,
  /** Updates after this number; absent: only the number to begin with is returned. */
  after: z.number().int().nonnegative().optional(),
  limit: z.number().int().min(1).max(UPDATES_MAX).default(200),
  /** So long for the first one, where none is there yet. */
  wait_ms: z.number().int().min(0).max(20_000).default(0),
});
export type AcpUpdatesInput = z.output<typeof updatesInputSchema>;

const updatesSchema = z.object({
  ...replyHeader,
  member: acpMemberSchema,
  /** As the agent sent them, whatever they are; ours begin with `agtmux_`. */
  updates: z.array(
    z.object({
      seq: z.number().int().positive(),
      at: z.iso.datetime(),
      update: z.record(z.string(), z.unknown()),
    }),
  ),
  /** Pass it as `after`. */
  next: z.number().int().nonnegative(),
  /** Some between `after` and the first one are not kept any more. */
  is_cut: z.boolean(),
});

export const acpSchemas = {
  list_acp_members: {
    input: z.strictObject({}),
    output: z.object({ ...replyHeader, members: z.array(acpMemberSchema) }),
  },
  start_acp_member: { input: startSchema, output: acpMemberSchema },
  stop_acp_member: {
    input: z.strictObject({ ...nameInput, forget: z.boolean().default(false) }),
    output: acpMemberSchema,
  },
  read_acp_updates: { input: updatesInputSchema, output: updatesSchema },
} as const;
