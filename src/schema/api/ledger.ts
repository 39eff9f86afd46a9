// What `explain` and `history` return: every source, its claim, its age, who won and why the others
// lost; and the states that a pane went through.

import { z } from 'zod';
import { reasonCodeSchema, saysSchema, stateSchema, tierSchema } from '../state.ts';
import { paneItemSchema } from './panes.ts';
import { refSchema } from './shapes.ts';

const time = z.iso.datetime();

export const ledgerOutcomes = [
  'won',
  'supports',
  'lost_precedence',
  'lost_age',
  'denied',
  'pending',
  'silent',
] as const;

export const ledgerClaimSchema = z.object({
  source: z.string(),
  channel: z.string(),
  channel_status: z.enum(['fresh', 'stale', 'down', 'unknown']),
  about: z.string(),
  says: saysSchema.nullable(),
  reason: reasonCodeSchema.nullable(),
  kind: z.enum(['edge', 'level']),
  tier: tierSchema,
  rank: z.number().int(),
  basis: z.enum(['signal', 'anchored', 'unanchored']).nullable(),
  rule: z.string().nullable(),
  covers: z.array(stateSchema),
  at: time.nullable(),
  age_ms: z.number().nullable(),
  /** When a level source was last read, saying the same or not. */
  last_read_at: time.nullable(),
  backfill: z.boolean(),
  outcome: z.enum(ledgerOutcomes),
  /** One sentence for people: why it won or lost. */
  why: z.string(),
});
export type LedgerClaim = z.infer<typeof ledgerClaimSchema>;

export const ledgerEventSchema = z.object({
  seq: z.number().int(),
  event_id: z.string(),
  type: z.string(),
  source: z.string().nullable(),
  disposition: z.string().nullable(),
  event_time: time,
  ingested_at: time,
  summary: z.string(),
});
export type LedgerEvent = z.infer<typeof ledgerEventSchema>;

export const explanationSchema = z.object({
  schema_version: z.literal(1),
  generated_at: time,
  pane: paneItemSchema,
  /** One sentence: the state and why. */
  why: z.string(),
  process: z.object({
    basis: z.string().nullable(),
    pid: z.number().int().nullable(),
    started_at: time.nullable(),
    suspended: z.boolean(),
  }),
  claims: z.array(ledgerClaimSchema),
  /** Newest first; late, dropped and waiting ones included. */
  events: z.array(ledgerEventSchema),
});
export type Explanation = z.infer<typeof explanationSchema>;

export const historyEntrySchema = z.object({
  at: time,
  pane_key: z.string(),
  ref: z.string().nullable(),
  /** The pane as tables print it; null for one that is forgotten. */
  pane: z.string().nullable(),
  agent: z.string().nullable(),
  runtime_id: z.string().nullable(),
  state: stateSchema,
  reason_code: reasonCodeSchema.nullable(),
  presence: z.string(),
  source: z.string().nullable(),
  state_version: z.number().int(),
  /** How long it lasted; null while it lasts. */
  lasted_ms: z.number().nullable(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

export const historySchema = z.object({
  schema_version: z.literal(1),
  generated_at: time,
  filters: z.record(z.string(), z.unknown()),
  entries: z.array(historyEntrySchema),
});
export type HistoryList = z.infer<typeof historySchema>;

export const ledgerSchemas = {
  explain: {
    input: z.strictObject({
      ref: refSchema,
      events: z.number().int().min(0).max(1000).optional(),
    }),
    output: explanationSchema,
  },
  history: {
    input: z.strictObject({
      ref: refSchema.optional(),
      since_ms: z.number().nonnegative().optional(),
      limit: z.number().int().min(1).max(10_000).optional(),
    }),
    output: historySchema,
  },
} as const;
