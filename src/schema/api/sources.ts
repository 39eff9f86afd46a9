// How third-party programs join as sources: they register, push events or are pulled, and get
// receipts for what was committed. Registrations live in operations/ports/source-registry.ts.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import { ingestEventSchema, ingestResultSchema } from './ingest.ts';
import { doneSchema, emptyInputSchema } from './shapes.ts';

const time = z.iso.datetime();
const cursor = z.string().max(1024);

/** The version of the contract below; a source that speaks another is refused. */
export const SOURCE_PROTOCOL_VERSION = 1;
export const EVENTS_PER_DELIVERY_MAX = 500;

/** pending: sent nothing yet. active: sends. stale: silent. revoked: its events are refused. */
export const sourceStates = ['pending', 'active', 'stale', 'revoked'] as const;
export const sourceStateSchema = z.enum(sourceStates).meta({ id: 'SourceState' });
export type SourceState = z.infer<typeof sourceStateSchema>;

export const sourceIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/);

export const sourceHelloInputSchema = z.strictObject({
  source_id: sourceIdSchema,
  /** What it reads: `hooks`, `transcript`, `app-server`. */
  source_kind: z.string().min(1).max(64),
  agent: z.string().min(1).max(64),
  protocol_version: z.number().int(),
  mode: z.enum(['push', 'pull']),
  /** Where a pull source listens; a new path moves the registration. */
  socket_path: z.string().min(1).max(512).optional(),
});
export type SourceHello = z.infer<typeof sourceHelloInputSchema>;

export const sourceWelcomeSchema = z.object({
  source_id: sourceIdSchema,
  state: sourceStateSchema,
  /** Names this life of the daemon; every later call of the source carries it. */
  nonce: z.string(),
  protocol_version: z.number().int(),
  /** The cursor to continue from; null: from the beginning. */
  committed_cursor: cursor.nullable(),
  heartbeat_interval_ms: z.number().int(),
  down_after_ms: z.number().int(),
});

const registered = { source_id: sourceIdSchema, nonce: z.string().max(128) };

export const sourcePushInputSchema = z.strictObject({
  ...registered,
  events: z.array(ingestEventSchema).max(EVENTS_PER_DELIVERY_MAX),
  /** The source's place after these events. */
  cursor: cursor.optional(),
});

export const sourceReceiptSchema = z.object({
  results: z.array(ingestResultSchema),
  committed_cursor: cursor.nullable(),
  /** To be given back with `source_ack` once the source has noted the commit. */
  delivery_token: z.string(),
});

export const sourceAckInputSchema = z.strictObject({
  ...registered,
  delivery_token: z.string().max(128),
});
export const sourceHeartbeatInputSchema = z.strictObject(registered);

export const sourceRecordSchema = z.object({
  source_id: sourceIdSchema,
  source_kind: z.string(),
  agent: z.string(),
  mode: z.enum(['push', 'pull']),
  socket_path: z.string().nullable(),
  state: sourceStateSchema,
  /** Why it is pending, stale or revoked. */
  detail: z.string().nullable(),
  channel: z.string(),
  registered_at: time,
  last_heard_at: time.nullable(),
  fetched_cursor: cursor.nullable(),
  committed_cursor: cursor.nullable(),
  /** Deliveries that were not acknowledged yet. */
  unacknowledged: z.number().int(),
  events: z.number().int(),
});
export type SourceItem = z.infer<typeof sourceRecordSchema>;

export const sourceRegistrySchema = z.object({
  ...replyHeader,
  sources: z.array(sourceRecordSchema),
});

/** What a pull source answers to `source.pull_events`. Foreign: checked before anything is used. */
export const pullAnswerSchema = z.object({
  events: z.array(ingestEventSchema).max(EVENTS_PER_DELIVERY_MAX),
  next_cursor: cursor,
  /** Where present, the daemon acknowledges it with `source.ack` after the commit. */
  delivery_token: z.string().max(128).optional(),
  heartbeat_ts: z.string().max(64).optional(),
  source_health: z
    .object({ status: z.enum(['healthy', 'degraded', 'down']), checked_at: z.string().max(64) })
    .optional(),
});

export const sourceSchemas = {
  ingest_events: {
    input: z.strictObject({
      events: z.array(ingestEventSchema).min(1).max(EVENTS_PER_DELIVERY_MAX),
    }),
    output: z.object({ results: z.array(ingestResultSchema) }),
  },
  source_hello: { input: sourceHelloInputSchema, output: sourceWelcomeSchema },
  source_push_events: { input: sourcePushInputSchema, output: sourceReceiptSchema },
  source_ack: { input: sourceAckInputSchema, output: doneSchema },
  source_heartbeat: { input: sourceHeartbeatInputSchema, output: doneSchema },
  list_source_registry: { input: emptyInputSchema, output: sourceRegistrySchema },
  revoke_source: {
    input: z.strictObject({
      source_id: sourceIdSchema,
      /** Takes a revocation back: the source may register again. */
      restore: z.boolean().optional(),
    }),
    output: sourceRecordSchema,
  },
} as const;
