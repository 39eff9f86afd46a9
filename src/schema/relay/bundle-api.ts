// Bundles as they are listed, and their lifecycle: the plan that the caller's own process carries
// out through tmux, and the report of what came of it.

import { z } from 'zod';
import { loginItemSchema, replyHeader } from '../shapes.ts';
import { stateSchema } from '../state.ts';
import { restartWhen } from './team-files.ts';

const NAME_MAX = 64;
const SESSIONS_MAX = 512;

const name = z.string().min(1).max(NAME_MAX);

/** One member that could not be started, as it is remembered. */
export const startupFailureSchema = z.object({
  bundle_name: z.string(),
  session_id: z.string(),
  transport: z.enum(['tmux', 'acp']),
  code: z.string(),
  reason: z.string(),
  timestamp: z.iso.datetime(),
  /** Grows with each failure of the bundle. */
  sequence: z.number().int().positive(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type StartupFailure = z.infer<typeof startupFailureSchema>;

export const teamMemberSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  transport: z.enum(['tmux', 'acp']),
  coder: z.string(),
  policy: z.string().nullable(),
  directory: z.string(),
  /** Of its agent; null where none is there. */
  state: stateSchema.nullable(),
  reason_code: z.string().nullable(),
  agent: z.string().nullable(),
  /** `absent`: no session. `dead`: its program has ended. `live`: it runs. */
  presence: z.enum(['absent', 'dead', 'live']),
  /** How often in a row it was started again by the rule of its bundle. */
  restarts: z.number().int().nonnegative(),
  pane_id: z.string().nullable(),
  /** For commands that take a reference. */
  ref: z.string().nullable(),
});
export type TeamMemberItem = z.infer<typeof teamMemberSchema>;

export const bundleItemSchema = z.object({
  id: z.string(),
  file: z.string(),
  target: z.string(),
  /** The socket of its tmux server; null: its machine was not reached. */
  server: z.string().nullable(),
  autostart: z.boolean(),
  groups: z.array(z.string()),
  restart: z.enum(restartWhen),
  state: z.enum(['up', 'down']),
  /** Null while it is down. */
  startup_health: z.enum(['healthy', 'degraded']).nullable(),
  state_reason_code: z.string().nullable(),
  state_reason: z.string().nullable(),
  ready_session_count: z.number().int(),
  startup_failure_count: z.number().int(),
  recent_startup_failures: z.array(startupFailureSchema),
  sessions: z.array(teamMemberSchema),
});
export type BundleItem = z.infer<typeof bundleItemSchema>;

export const teamProblemSchema = z.object({
  code: z.string(),
  file: z.string(),
  line: z.number().int(),
  key: z.string(),
  message: z.string(),
});

export const bundleListSchema = z.object({
  ...replyHeader,
  bundles: z.array(bundleItemSchema),
  /** What is wrong in the files; their last good content is in force. */
  problems: z.array(teamProblemSchema),
});
export type BundleList = z.infer<typeof bundleListSchema>;

export const bundleActions = ['up', 'down', 'restart'] as const;
export type BundleAction = (typeof bundleActions)[number];

/** A member without a terminal, which the daemon starts and ends itself. */
const acpMemberPlanSchema = z.object({
  id: z.string(),
  /** Of its agent; null where it does not run. */
  state: stateSchema.nullable(),
  agent: z.string(),
  is_up: z.boolean(),
  /** False: the bundle does not name it any more. */
  is_declared: z.boolean(),
});

/** How to start one member through tmux. */
const plannedMemberSchema = z.object({
  id: z.string(),
  /** A line for /bin/sh, from the user's own file. */
  command: z.string(),
  /** From / or ~. */
  directory: z.string(),
});
export type PlannedMember = z.infer<typeof plannedMemberSchema>;

export const bundlePlanSchema = z.object({
  bundle: z.string(),
  target: z.string(),
  target_kind: z.enum(['local', 'ssh']),
  login: loginItemSchema,
  server: z.string(),
  /** The server is the bundle's own: it is started with the caller's environment, and ended. */
  is_private: z.boolean(),
  /** The value of @agtmux_owner of our sessions: `<install id>/<bundle>`. */
  owner: z.string(),
  /** Those with a tmux session, in the order of their ids. */
  members: z.array(plannedMemberSchema),
  acp_members: z.array(acpMemberPlanSchema),
  /** What is known of the agents in sessions of that server. */
  agents: z.array(z.object({ session: z.string(), agent: z.string(), state: stateSchema })),
});
export type BundlePlan = z.infer<typeof bundlePlanSchema>;

export const bundlePlansSchema = z.object({
  ...replyHeader,
  action: z.enum(bundleActions),
  bundles: z.array(bundlePlanSchema),
});

const details = z.record(
  z.string().max(64),
  z.union([z.string().max(8_192), z.number(), z.null()]),
);

const createdSessionSchema = z.strictObject({
  id: name,
  pane_id: z.string().max(32),
  server_pid: z.number().int().positive(),
});

/** The process that asks: one that an agent has started acts as that agent. */
const callerPid = z.number().int().positive().optional();

/** What the caller has done, for one bundle. */
export const bundleOutcomeInputSchema = z.strictObject({
  bundle: name,
  /** Only this member was meant. */
  member: name.optional(),
  action: z.enum(bundleActions),
  bootstrap_session: name.nullable(),
  created_sessions: z.array(createdSessionSchema).max(SESSIONS_MAX),
  pruned_sessions: z.array(z.string().max(1_024)).max(SESSIONS_MAX),
  killed_tmux_server: z.boolean(),
  /** With it members without a terminal are started. */
  path: z.string().max(32_768).optional(),
  caller_pid: callerPid,
  failures: z
    .array(
      z.strictObject({
        session_id: name,
        code: z.enum(['runtime_startup_failed', 'internal_unexpected_failure']),
        reason: z.string().max(1_000),
        details,
      }),
    )
    .max(SESSIONS_MAX),
});
export type BundleOutcomeInput = z.infer<typeof bundleOutcomeInputSchema>;

export const bundleReportSchema = z.object({
  bundle_name: z.string(),
  outcome: z.enum(['hosted', 'unhosted', 'skipped', 'failed']),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  bootstrap_session: z.string().nullable(),
  created_sessions: z.array(z.string()),
  pruned_sessions: z.array(z.string()),
  killed_tmux_server: z.boolean(),
  ready_session_count: z.number().int(),
  failed_startups: z.array(startupFailureSchema),
});
export type BundleReport = z.infer<typeof bundleReportSchema>;

/** What one agent is started or ended by: a plan with the member that it is, or with none. */
const singlePlanSchema = z.object({ ...replyHeader, plan: bundlePlanSchema });

/** What came of the start of one agent. */
export const spawnReportSchema = z.object({
  ...replyHeader,
  /** Null where it could not be started. */
  pane: z
    .object({
      ref: z.string(),
      pane_id: z.string(),
      /** Null: no agent that is known. */
      agent: z.string().nullable(),
      state: stateSchema.nullable(),
    })
    .nullable(),
  failure: z.object({ code: z.string(), reason: z.string(), cause: z.string() }).nullable(),
});
export type SpawnReport = z.infer<typeof spawnReportSchema>;

/** One bundle, or all of a group, or those that are marked with `autostart`; none: all. */
const selection = {
  bundle: name.optional(),
  group: name.optional(),
  autostart: z.boolean().optional(),
} as const;

export const teamSchemas = {
  list_bundles: { input: z.strictObject(selection), output: bundleListSchema },
  plan_bundle: {
    input: z.strictObject({
      ...selection,
      action: z.enum(bundleActions),
      /** Only this member of the bundle. */
      member: name.optional(),
      caller_pid: callerPid,
    }),
    output: bundlePlansSchema,
  },
  bundle_outcome: { input: bundleOutcomeInputSchema, output: bundleReportSchema },
  plan_spawn: {
    /** On the usual tmux server of a machine. */
    input: z.strictObject({ target: name.default('local'), caller_pid: callerPid }),
    output: singlePlanSchema,
  },
  spawn_outcome: {
    input: z.strictObject({
      target: name,
      server: z.string().min(1).max(512),
      created: createdSessionSchema,
      caller_pid: callerPid,
    }),
    output: spawnReportSchema,
  },
  plan_stop: {
    input: z.strictObject({
      /** A pane, or a member as `bundle/member`. */
      ref: z.string().min(1).max(8192),
      caller_pid: callerPid,
    }),
    output: singlePlanSchema,
  },
} as const;
