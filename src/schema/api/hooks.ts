// Hooks of agents as they are installed, removed and shown: the request, and the result for each
// file.

import { z } from 'zod';

const path = z.string().min(1).max(4096);

export const hooksInputSchema = z.strictObject({
  action: z.enum(['install', 'uninstall', 'status', 'diff']),
  /** Which agents; without, those that are found on the machine. */
  agents: z.array(z.string().min(1).max(64)).max(64).optional(),
  scope: z.enum(['user', 'project']).optional(),
  /** The folder of the project, for the scope of that name. */
  project: path.optional(),
  /** The machine; without, this one. */
  target: z.string().min(1).max(256).optional(),
});
export type HooksInput = z.infer<typeof hooksInputSchema>;

const fileSchema = z.object({
  path,
  /** outdated: ours, of another version. foreign: a program of the user's own has the place. */
  state: z.enum(['installed', 'outdated', 'absent', 'foreign', 'unreadable']),
  change: z.enum(['none', 'created', 'changed', 'removed']),
  /** The copy of what was there before. */
  backup: path.nullable(),
  /** What an install would change; for the action diff. */
  diff: z.string().nullable(),
  /** Why it was left as it is. */
  problem: z.string().nullable(),
  /** A file that the repository of a project may hold: others would get a path of this home. */
  shared: z.boolean(),
});

const agentSchema = z.object({
  agent: z.string(),
  /** partial: some of its files. */
  state: z.enum(['installed', 'partial', 'outdated', 'absent', 'unreadable']),
  /** Whether the agent's own question about new hooks was answered; null where it asks none. */
  trust: z.enum(['trusted', 'untrusted']).nullable(),
  files: z.array(fileSchema),
  /** What the user has to do or to know. */
  note: z.string().nullable(),
});

export const hooksAnswerSchema = z.object({
  schema_version: z.literal(1),
  generated_at: z.string(),
  target: z.string(),
  scope: z.enum(['user', 'project']),
  /** The script that hooks run. */
  emitter: z.object({ path, state: z.enum(['installed', 'outdated', 'absent']) }),
  agents: z.array(agentSchema),
  skipped: z.array(z.object({ agent: z.string(), why: z.string() })),
});
export type HooksAnswer = z.infer<typeof hooksAnswerSchema>;

export const hookSchemas = {
  hooks: { input: hooksInputSchema, output: hooksAnswerSchema },
} as const;
