// Panes: what tmux reports of one (facts), where it is shown, and its row.

import { z } from 'zod';
import { activityPatchSchema, requestSchema } from './evidence.ts';
import type { AgentName, RequestId, RuntimeId, SourceName, TargetId } from './ids.ts';
import { atMsSchema, branded } from './shapes.ts';
import {
  attentionKindSchema,
  bindingStateSchema,
  confidenceSchema,
  evidenceModeSchema,
  presenceSchema,
  reasonCodeSchema,
  stateSchema,
} from './state.ts';

/** As long as tmux keeps one. */
export const TITLE_LENGTH_MAX = 1_024;
/** Fits a column; a longer text is a note and no name. */
export const ALIAS_LENGTH_MAX = 128;
const name = z.string().max(TITLE_LENGTH_MAX);
const lifeSchema = z.object({ pid: z.number().int().nonnegative(), startedAtMs: atMsSchema });

/** One place where a pane is shown. Linked and grouped sessions show a pane more than once. */
export const paneLocationSchema = z.object({
  sessionId: z.string().max(32),
  sessionName: name,
  windowId: z.string().max(32),
  windowIndex: z.number().int().nonnegative(),
  windowName: name,
  paneIndex: z.number().int().nonnegative(),
  active: z.boolean(),
});
export type PaneLocation = z.infer<typeof paneLocationSchema>;

export const paneFactsSchema = z.object({
  targetId: branded<TargetId>(),
  server: z.string().max(512),
  generation: lifeSchema,
  paneId: z.string().max(32),
  birth: lifeSchema,
  locations: z.array(paneLocationSchema).max(64),
  title: name,
  /** Nobody has set the title: it is the name of the machine. Absent: somebody has. */
  isHostTitle: z.literal(true).optional(),
  /** It floats above the others. Absent: it does not, or tmux has no such panes. */
  isFloating: z.literal(true).optional(),
  command: name,
  path: z.string().max(4096),
  dead: z.boolean(),
  /** The local process tree cannot see inside: ssh, docker exec, a nested tmux. */
  opaque: z.boolean(),
});
export type PaneFacts = z.infer<typeof paneFactsSchema>;

/** What matched when a pane was checked for an agent. */
export const signatureInputsSchema = z.object({
  providerHint: z.boolean(),
  cmdMatch: z.boolean(),
  pollerMatch: z.boolean(),
  titleMatch: z.boolean(),
});
export type SignatureInputs = z.infer<typeof signatureInputsSchema>;

export const signatureSchema = z.object({
  class: evidenceModeSchema,
  reason: z.string(),
  confidence: z.number().min(0).max(1),
  inputs: signatureInputsSchema,
});
export type Signature = z.infer<typeof signatureSchema>;

export const openRequestSchema = z.object({
  requestId: branded<RequestId>(),
  kind: attentionKindSchema,
  sinceMs: atMsSchema,
  seen: z.boolean(),
  detail: requestSchema.optional(),
  /** Other ids that this dialog was listed under before: an action may name those. */
  earlierIds: z.array(branded<RequestId>()).optional(),
  /** How the agent ended, where it is gone. */
  note: z.string().max(200).optional(),
});
export type OpenRequest = z.infer<typeof openRequestSchema>;

export const attentionSchema = z.object({
  kinds: z.array(attentionKindSchema),
  sinceMs: atMsSchema.nullable(),
  /** Everything that needs a person, each with its own `seen`. */
  requests: z.array(openRequestSchema),
  /** A person has put the requests off until then: they are listed and count nowhere. */
  snoozedUntilMs: atMsSchema.optional(),
});
export type Attention = z.infer<typeof attentionSchema>;

/** What is known about the agent's work; the newest evidence wins for each field. */
export const activitySchema = z.object({
  ...activityPatchSchema.shape,
  /** Last sign of work in the turn. */
  lastAtMs: atMsSchema.nullable(),
});
export type Activity = z.infer<typeof activitySchema>;

/** The answer for one pane, without what only tmux knows (facts) and what only readers need. */
export const rowSchema = z.object({
  presence: presenceSchema,
  runtimeId: branded<RuntimeId>().nullable(),
  agent: branded<AgentName>().nullable(),
  state: stateSchema,
  reasonCode: reasonCodeSchema.nullable(),
  untilMs: atMsSchema.nullable(),
  evidence: z.object({
    mode: evidenceModeSchema,
    source: branded<SourceName>().nullable(),
    rule: z.string().nullable(),
    confidence: confidenceSchema,
    atMs: atMsSchema.nullable(),
  }),
  signature: signatureSchema,
  binding: bindingStateSchema,
  attention: attentionSchema,
  activity: activitySchema,
  /** Grows by one when presence, runtime, state, reason or the open requests change. */
  stateVersion: z.number().int().nonnegative(),
  /** Position of the row's last change in the daemon's one timeline; drives subscriptions. */
  rowSeq: z.number().int().nonnegative(),
  sinceMs: atMsSchema,
  updatedAtMs: atMsSchema,
});
export type PaneRow = z.infer<typeof rowSchema>;
