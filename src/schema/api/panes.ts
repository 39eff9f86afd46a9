// What clients read of panes, windows and sessions. Wire names are snake_case and times are ISO
// texts; rows inside the daemon are schema/pane.ts.

import { z } from 'zod';
import { requestSchema } from '../evidence.ts';
import { signatureInputsSchema } from '../pane.ts';
import { replyHeader } from '../shapes.ts';
import {
  attentionKindSchema,
  bindingStateSchema,
  confidenceSchema,
  evidenceModeSchema,
  presenceSchema,
  reasonCodeSchema,
  stateSchema,
} from '../state.ts';
import { refSchema } from './shapes.ts';
import { outageSchema } from './targets.ts';

const time = z.iso.datetime();
const count = z.number().int().nonnegative();

/** Where a pane is shown; a linked pane is listed once for each location. */
export const paneIdentitySchema = z.object({
  target: z.string(),
  server: z.string(),
  session_name: z.string(),
  session_id: z.string(),
  window_id: z.string(),
  window_index: count,
  window_name: z.string(),
  pane_id: z.string(),
  pane_index: count,
});
export type PaneIdentityItem = z.infer<typeof paneIdentitySchema>;

export const signatureInputsItemSchema = z.object({
  provider_hint: signatureInputsSchema.shape.providerHint,
  cmd_match: signatureInputsSchema.shape.cmdMatch,
  poller_match: signatureInputsSchema.shape.pollerMatch,
  title_match: signatureInputsSchema.shape.titleMatch,
});

export const attentionItemSchema = z.object({
  kinds: z.array(attentionKindSchema),
  since: time.nullable(),
  requests: z.array(
    z.object({
      request_id: z.string(),
      kind: attentionKindSchema,
      since: time,
      seen: z.boolean(),
      detail: requestSchema.optional(),
      /** How the agent ended, when there is no request. */
      note: z.string().optional(),
      /** There where an answer may be given in words of one's own. */
      takes_text: z.boolean().optional(),
    }),
  ),
  /** A person has put the requests off until then; null when not. */
  snoozed_until: time.nullable(),
});

export const paneItemSchema = z
  .object({
    /** Null for an agent without a pane. */
    identity: paneIdentitySchema.nullable(),
    /** Every location that shows the pane, the listed one included. */
    locations: z.array(paneIdentitySchema),
    ref: z.string(),
    pane_key: z.string(),
    target: z.string(),
    presence: presenceSchema,
    agent: z.string().nullable(),
    runtime_id: z.string().nullable(),
    pane_epoch: count,
    pid: count.nullable(),
    session_key: z.string().nullable(),
    state: stateSchema,
    reason_code: reasonCodeSchema.nullable(),
    until: time.nullable(),
    /** What was known before the state was hidden: its target is down, or the daemon restarted. */
    last_known: z
      .object({ state: stateSchema, reason_code: reasonCodeSchema.nullable(), since: time })
      .nullable(),
    evidence: z.object({
      mode: evidenceModeSchema,
      source: z.string().nullable(),
      rule: z.string().nullable(),
      confidence: confidenceSchema,
      at: time.nullable(),
    }),
    signature_class: evidenceModeSchema,
    signature_reason: z.string(),
    signature_confidence: z.number(),
    signature_inputs: signatureInputsItemSchema,
    binding: bindingStateSchema,
    attention: attentionItemSchema,
    activity: z.object({
      last_at: time.nullable(),
      tool: z.string().nullable(),
      /** The first line of the last prompt of the person. */
      prompt: z.string().nullable(),
      /** The first line of the last message of the agent to the person. */
      message: z.string().nullable(),
      title: z.string().nullable(),
      background_count: count,
      subagents: z.array(z.object({ id: z.string(), kind: z.string().optional() })),
      usage: z
        .object({
          context_used: z.number().optional(),
          context_max: z.number().optional(),
          tokens: z.number().optional(),
        })
        .nullable(),
    }),
    /** The name that a person gave the pane with `agtmux name`; null without one. */
    alias: z.string().nullable(),
    /** What the pane is called: the agent's name for its session first. */
    title: z.string(),
    title_quality: z.enum(['session', 'history', 'pane', 'path', 'fallback']),
    pane_title: z.string(),
    current_cmd: z.string(),
    current_path: z.string(),
    git_branch: z.string().nullable(),
    /** The top folder of the git worktree; null where it is not known. */
    git_worktree: z.string().nullable(),
    /** Whether a person's tmux client shows a session of the pane; control clients do not count. */
    attached: z.boolean(),
    /** Whether it floats above other panes (tmux 3.7 and newer). */
    floating: z.boolean(),
    dead: z.boolean(),
    opaque: z.boolean(),
    state_version: count,
    row_seq: count,
    since: time,
    updated_at: time,
    last_seen_at: time,
  })
  .meta({ id: 'Pane' });
export type PaneItem = z.infer<typeof paneItemSchema>;

export const countsSchema = z.object({
  agents: count,
  by_state: z.record(stateSchema, count),
  /** Panes that need a person: an open request, or an error, a crash or a stuck agent not seen. */
  needs_action: count,
});
export type CountsItem = z.infer<typeof countsSchema>;

export const windowItemSchema = z
  .object({
    identity: z.object({
      target: z.string(),
      server: z.string(),
      session_name: z.string(),
      window_id: z.string(),
      window_index: count,
    }),
    window_name: z.string(),
    panes: count,
    ...countsSchema.shape,
    top_state: stateSchema,
    waiting: count,
    running: count,
  })
  .meta({ id: 'Window' });
export type WindowItem = z.infer<typeof windowItemSchema>;

export const sessionItemSchema = z
  .object({
    /** The target is null where sessions of one name were merged over targets. */
    identity: z.object({
      target: z.string().nullable(),
      server: z.string().nullable(),
      session_name: z.string(),
    }),
    panes: count,
    ...countsSchema.shape,
    top_state: stateSchema,
    by_target: z.record(z.string(), countsSchema),
    /** The pane that stands for the session. */
    representative_ref: z.string().nullable(),
    title: z.string(),
    /** The pane that `top_state` is about: the most urgent one. */
    top_pane: z.object({ ref: z.string(), title: z.string() }).nullable(),
  })
  .meta({ id: 'Session' });
export type SessionItem = z.infer<typeof sessionItemSchema>;

export const summarySchema = z
  .object({
    panes: count,
    ...countsSchema.shape,
    by_agent: z.record(z.string(), count),
    by_target: z.record(z.string(), countsSchema),
    /** What they need a person for; each counts once, so the sum is `needs_action`. */
    needs: z.object({
      approval: count,
      question: count,
      error: count,
      crash: count,
      stuck: count,
    }),
  })
  .meta({ id: 'Summary' });
export type SummaryItem = z.infer<typeof summarySchema>;

/** What a list may be filtered by. Absent: no filter. */
export const listFilterSchema = z.strictObject({
  target: z.string().max(128).optional(),
  /** `<target>/<session>`. */
  target_session: z.string().max(2048).optional(),
  session: z.string().max(1024).optional(),
  /** One state, or any of several. */
  state: z.union([stateSchema, z.array(stateSchema).min(1).max(16)]).optional(),
  agent: z.string().max(64).optional(),
  needs_action: z.boolean().optional(),
});
export type ListFilter = z.infer<typeof listFilterSchema>;

export const sortKeys = ['attention', 'age', 'target', 'state'] as const;
export const sortSchema = z.enum(sortKeys);
export type SortKey = z.infer<typeof sortSchema>;

const targetErrorSchema = z.object({ target: z.string(), code: z.string(), message: z.string() });

/** What every listing says about itself. */
export const listEnvelope = {
  ...replyHeader,
  filters: z.record(z.string(), z.unknown()),
  summary: summarySchema,
  /** Why nothing can be stored: then every row is `unknown/store_failed`. Null: all is stored. */
  store_error: z.object({ code: z.string(), message: z.string() }).nullable(),
  partial: z.boolean(),
  requested_targets: z.array(z.string()),
  responded_targets: z.array(z.string()),
  target_errors: z.array(targetErrorSchema),
  /** Machines and tmux servers that are gone, whatever the filter. */
  outages: z.array(outageSchema),
} as const;

export const paneListSchema = z.object({ ...listEnvelope, panes: z.array(paneItemSchema) });
export type PaneList = z.infer<typeof paneListSchema>;
export const windowListSchema = z.object({ ...listEnvelope, windows: z.array(windowItemSchema) });
export type WindowList = z.infer<typeof windowListSchema>;
export const sessionListSchema = z.object({
  ...listEnvelope,
  sessions: z.array(sessionItemSchema),
});
export type SessionList = z.infer<typeof sessionListSchema>;

/** The longest wait of one call. */
const WAIT_MS_MAX = 3_600_000;

export const waitInputSchema = z.strictObject({
  ...listFilterSchema.omit({ state: true, needs_action: true }).shape,
  /** One agent; its end ends the wait. Absent: every agent that the filter finds. */
  ref: refSchema.optional(),
  for: z.union([z.array(stateSchema).min(1).max(16), z.literal('not_waiting')]),
  timeout_ms: z.number().int().positive().max(WAIT_MS_MAX),
});
export type WaitInput = z.output<typeof waitInputSchema>;

export const waitReplySchema = z.object({
  ...replyHeader,
  /** `gone`: the agent ended, or no agent is left. */
  outcome: z.enum(['met', 'timeout', 'gone']),
  panes: z.array(paneItemSchema),
});
export type WaitReply = z.infer<typeof waitReplySchema>;

export const paneSchemas = {
  wait: { input: waitInputSchema, output: waitReplySchema },
  list_panes: {
    input: z.strictObject({
      ...listFilterSchema.shape,
      sort: sortSchema.optional(),
      /** Also panes that are gone and not yet forgotten. */
      include_missing: z.boolean().optional(),
    }),
    output: paneListSchema,
  },
  list_windows: { input: z.strictObject(listFilterSchema.shape), output: windowListSchema },
  list_sessions: {
    input: z.strictObject({
      ...listFilterSchema.shape,
      /** `session-name` merges sessions of one name over targets and servers. */
      group_by: z.enum(['target-session', 'session-name']).optional(),
    }),
    output: sessionListSchema,
  },
} as const;
