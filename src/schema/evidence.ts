// Evidence: one observation by one source, carrying claims about one runtime. Sources make it,
// core/ingest checks it, the store keeps it. Texts are redacted before any of it is kept.

import { z } from 'zod';
import type {
  AgentName,
  ChannelName,
  EventId,
  PaneKey,
  RequestId,
  RuntimeId,
  SessionKey,
  SourceName,
  TargetId,
} from './ids.ts';
import { atMsSchema, branded, ID_LENGTH_MAX } from './shapes.ts';
import { reasonCodeSchema, saysSchema, stateSchema, tierSchema } from './state.ts';

export const EVIDENCE_TEXT_MAX = 4_000;
/** More than any agent asks at once; a flood is refused. */
const CLAIMS_MAX = 64;

const text = z.string().max(EVIDENCE_TEXT_MAX);

/** What an agent asks, as far as the source could read it. */
export const requestSchema = z.object({
  kind: z.enum(['approval', 'question']),
  text: text.optional(),
  tool: text.optional(),
  command: text.optional(),
  file: text.optional(),
  options: z
    .array(
      z.object({
        label: text,
        selected: z.boolean(),
        /** Whether it is switched on, where several may be. */
        checked: z.boolean().optional(),
      }),
    )
    .max(32)
    .optional(),
});
export type Request = z.infer<typeof requestSchema>;

/** The `about` of claims that concern the turn and not one request. */
export const TURN = 'turn';

export const claimSchema = z.object({
  /** `turn`, or the id of the request that the claim is about. */
  about: branded<RequestId | typeof TURN>(),
  says: saysSchema,
  /** States whose end this source can see. It never ends another (law 6). */
  covers: z.array(stateSchema).max(7),
  /** Position among the sources of the agent: 0 is the best. */
  rank: z.number().int().min(0).max(99),
  /** signal: event, file, title, OSC, option. anchored: screen rule. unanchored: a late guess. */
  basis: z.enum(['signal', 'anchored', 'unanchored']),
  reason: reasonCodeSchema.optional(),
  /** When a limit resets. */
  untilMs: atMsSchema.optional(),
  request: requestSchema.optional(),
  /** The screen rule or event name that made the claim. */
  rule: text.optional(),
  /** Last key or output in the pane, for unanchored claims. */
  lastInteractionAtMs: atMsSchema.optional(),
});
export type Claim = z.infer<typeof claimSchema>;

/** What evidence reports about the work besides the state. The newest wins for each field. */
export const activityPatchSchema = z.object({
  tool: text.nullable().optional(),
  prompt: text.nullable().optional(),
  message: text.nullable().optional(),
  title: text.nullable().optional(),
  backgroundCount: z.number().int().nonnegative().optional(),
  subagents: z
    .array(z.object({ id: text, kind: text.optional() }))
    .max(64)
    .optional(),
  usage: z
    .object({
      contextUsed: z.number().nonnegative().optional(),
      contextMax: z.number().nonnegative().optional(),
      tokens: z.number().nonnegative().optional(),
    })
    .optional(),
});
export type ActivityPatch = z.infer<typeof activityPatchSchema>;

/** Hints of evidence without a runtime, to find its runtime. */
export const bindHintSchema = z.object({
  targetId: branded<TargetId>(),
  paneKey: branded<PaneKey>().optional(),
  server: z.string().max(ID_LENGTH_MAX).optional(),
  paneId: z.string().max(32).optional(),
  agent: branded<AgentName>().optional(),
  pid: z.number().int().positive().optional(),
  processStartedAtMs: atMsSchema.optional(),
  /** The processes above the hook that may be the agent, nearest first. */
  pids: z.array(z.number().int().positive()).max(32).optional(),
  sessionKey: branded<SessionKey>().optional(),
});
export type BindHint = z.infer<typeof bindHintSchema>;

/** edge: something happened. level: a value that holds since then. */
export const evidenceKindSchema = z.enum(['edge', 'level']);
export type EvidenceKind = z.infer<typeof evidenceKindSchema>;

export const evidenceSchema = z.object({
  eventId: branded<EventId>(),
  source: branded<SourceName>(),
  channel: branded<ChannelName>(),
  tier: tierSchema,
  kind: evidenceKindSchema,
  type: z.string().min(1).max(ID_LENGTH_MAX),
  runtimeId: branded<RuntimeId>().nullable(),
  bind: bindHintSchema.nullable(),
  dedupeKey: z.string().min(1).max(ID_LENGTH_MAX),
  sourceEventId: z.string().max(ID_LENGTH_MAX).optional(),
  sourceSeq: z.number().int().nonnegative().optional(),
  eventTimeMs: atMsSchema,
  ingestedAtMs: atMsSchema,
  /** The source read it from before the daemon's start (a spool, a transcript's tail). */
  backfill: z.boolean(),
  claims: z.array(claimSchema).max(CLAIMS_MAX),
  activity: activityPatchSchema.optional(),
  sessionKey: branded<SessionKey>().optional(),
  /** The agent reported the end of its session or process. */
  ended: z.boolean().optional(),
  /** The signal itself, redacted. Kept for `explain`; replay ignores it. */
  payload: z.unknown().optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;
