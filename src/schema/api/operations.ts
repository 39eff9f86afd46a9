// Every operation by name, with what goes in and comes out. Validation, the typed client and the
// published JSON Schema are made of this one list; who may call what is operations/table.ts.

import { z } from 'zod';
import {
  adapterListSchema,
  alertListSchema,
  alertSchema,
  daemonInfoSchema,
  sourceHealthListSchema,
} from './health.ts';
import { hooksAnswerSchema, hooksInputSchema } from './hooks.ts';
import { ingestEventSchema, ingestResultSchema } from './ingest.ts';
import { explanationSchema, historySchema } from './ledger.ts';
import {
  listFilterSchema,
  paneListSchema,
  sessionListSchema,
  sortSchema,
  windowListSchema,
} from './panes.ts';
import { previewSchema } from './preview.ts';
import {
  EVENTS_PER_DELIVERY_MAX,
  sourceAckInputSchema,
  sourceHeartbeatInputSchema,
  sourceHelloInputSchema,
  sourceIdSchema,
  sourcePushInputSchema,
  sourceReceiptSchema,
  sourceRecordSchema,
  sourceRegistrySchema,
  sourceWelcomeSchema,
} from './sources.ts';
import { subscribedSchema, subscribeInputSchema } from './stream.ts';
import {
  addTargetInputSchema,
  targetInputSchema,
  targetItemSchema,
  targetListSchema,
} from './targets.ts';

const nothing = z.strictObject({});
const done = z.object({ ok: z.literal(true) });
const ref = z.string().min(1).max(8192);

export const helloInputSchema = z.strictObject({
  /** What the client speaks; the daemon's own is in the answer. */
  protocol: z.number().int().optional(),
  version: z.string().max(64).optional(),
  /** What calls, for the daemon's log: `cli`, `tui`. */
  client: z.string().max(64).optional(),
});
export const helloSchema = z.object({
  protocol: z.number().int(),
  version: z.string(),
  pid: z.number().int(),
  nonce: z.string(),
});
export type Hello = z.infer<typeof helloSchema>;

const listPanesInput = z.strictObject({
  ...listFilterSchema.shape,
  sort: sortSchema.optional(),
  /** Also panes that are gone and not yet forgotten. */
  include_missing: z.boolean().optional(),
});
const listWindowsInput = z.strictObject({ ...listFilterSchema.shape });
const listSessionsInput = z.strictObject({
  ...listFilterSchema.shape,
  /** `session-name` merges sessions of one name over targets and servers. */
  group_by: z.enum(['target-session', 'session-name']).optional(),
});
const historyInput = z.strictObject({
  ref: ref.optional(),
  since_ms: z.number().nonnegative().optional(),
  limit: z.number().int().min(1).max(10_000).optional(),
});
const metricsSchema = z.object({ content_type: z.string(), text: z.string() });
const ingestInput = z.strictObject({
  events: z.array(ingestEventSchema).min(1).max(EVENTS_PER_DELIVERY_MAX),
});
const tagInput = z.strictObject({ ref, agent: z.string().min(1).max(64).nullable() });
const markSeenInput = z.strictObject({
  ref,
  /** Absent: everything that is open in the pane. */
  request_ids: z.array(z.string().min(1).max(2048)).max(256).optional(),
});
const alertInput = z.strictObject({ alert_id: z.string().min(1).max(128) });

export const operationSchemas = {
  hello: { input: helloInputSchema, output: helloSchema },
  daemon_info: { input: nothing, output: daemonInfoSchema },
  daemon_stop: {
    input: z.strictObject({ reason: z.string().max(200).optional() }),
    output: done,
  },
  list_panes: { input: listPanesInput, output: paneListSchema },
  list_windows: { input: listWindowsInput, output: windowListSchema },
  list_sessions: { input: listSessionsInput, output: sessionListSchema },
  list_targets: { input: nothing, output: targetListSchema },
  add_target: { input: addTargetInputSchema, output: targetItemSchema },
  connect_target: { input: targetInputSchema, output: targetItemSchema },
  remove_target: { input: targetInputSchema, output: done },
  hooks: { input: hooksInputSchema, output: hooksAnswerSchema },
  list_source_health: { input: nothing, output: sourceHealthListSchema },
  list_adapters: { input: nothing, output: adapterListSchema },
  set_adapter_enabled: {
    input: z.strictObject({ agent: z.string().min(1).max(64), enabled: z.boolean() }),
    output: adapterListSchema,
  },
  list_alerts: {
    input: z.strictObject({ include_resolved: z.boolean().optional() }),
    output: alertListSchema,
  },
  acknowledge_alert: { input: alertInput, output: alertSchema },
  resolve_alert: { input: alertInput, output: alertSchema },
  explain: {
    input: z.strictObject({ ref, events: z.number().int().min(0).max(1000).optional() }),
    output: explanationSchema,
  },
  history: { input: historyInput, output: historySchema },
  preview: { input: z.strictObject({ ref }), output: previewSchema },
  metrics: { input: nothing, output: metricsSchema },
  ingest_events: {
    input: ingestInput,
    output: z.object({ results: z.array(ingestResultSchema) }),
  },
  tag: { input: tagInput, output: done },
  mark_seen: { input: markSeenInput, output: done },
  source_hello: { input: sourceHelloInputSchema, output: sourceWelcomeSchema },
  source_push_events: { input: sourcePushInputSchema, output: sourceReceiptSchema },
  source_ack: { input: sourceAckInputSchema, output: done },
  source_heartbeat: { input: sourceHeartbeatInputSchema, output: done },
  list_source_registry: { input: nothing, output: sourceRegistrySchema },
  revoke_source: {
    input: z.strictObject({
      source_id: sourceIdSchema,
      /** Takes a revocation back: the source may register again. */
      restore: z.boolean().optional(),
    }),
    output: sourceRecordSchema,
  },
  subscribe: { input: subscribeInputSchema, output: subscribedSchema },
  unsubscribe: { input: z.strictObject({ subscription: z.string().max(128) }), output: done },
} as const;

export type OperationName = keyof typeof operationSchemas;

/** What the typed client offers: by name, what goes in and what comes out. */
export type OperationMap = {
  readonly [Name in OperationName]: {
    readonly input: z.input<(typeof operationSchemas)[Name]['input']>;
    readonly output: z.output<(typeof operationSchemas)[Name]['output']>;
  };
};
