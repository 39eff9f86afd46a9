// What `explain` and `history` return: every source, its claim, its age, who won and why the others
// lost; and the states that a pane went through.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
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
  ...replyHeader,
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
  /** Grows with the order in which steps were written: a late one may have begun earlier. */
  step_id: z.number().int(),
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
  ...replyHeader,
  filters: z.record(z.string(), z.unknown()),
  entries: z.array(historyEntrySchema),
});
export type HistoryList = z.infer<typeof historySchema>;

const durationMs = z.number().int().nonnegative();
const count = z.number().int().nonnegative();

export const summaryGroups = ['agent', 'session', 'day'] as const;

export const timeSumsSchema = z.object({
  /** While an agent was there and a daemon watched; the sum of all states. */
  observed_ms: durationMs,
  states: z.partialRecord(stateSchema, durationMs),
  /** Waiting for a person: an approval or an answer. */
  waiting_ms: durationMs,
  waits: count,
  longest_wait_ms: durationMs,
});
export type TimeSumsItem = z.infer<typeof timeSumsSchema>;

export const waitItemSchema = z.object({
  pane_key: z.string(),
  ref: z.string().nullable(),
  /** The pane as tables print it; null for one that is forgotten. */
  pane: z.string().nullable(),
  agent: z.string().nullable(),
  session: z.string().nullable(),
  state: stateSchema,
  began_at: time,
  /** Null while it lasts. */
  ended_at: time.nullable(),
  waited_ms: durationMs,
});

export const historySummarySchema = z.object({
  ...replyHeader,
  filters: z.record(z.string(), z.unknown()),
  since: time,
  until: time,
  time_zone: z.string(),
  by: z.enum(summaryGroups),
  /** True where so much was stored that the oldest part was left out; `since` says how much. */
  partial: z.boolean(),
  total: timeSumsSchema,
  /** Those who waited longest first; days in their order. */
  groups: z.array(z.object({ name: z.string(), ...timeSumsSchema.shape })),
  longest_waits: z.array(waitItemSchema),
});
export type HistorySummary = z.infer<typeof historySummarySchema>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const historySummaryInput = z.strictObject({
  ref: refSchema.optional(),
  /** Absent: seven days ago. */
  since_ms: z.number().nonnegative().optional(),
  /** Absent: agents. */
  by: z.enum(summaryGroups).optional(),
  /** Where the days begin, such as `Europe/Berlin`. Absent: the zone of the daemon. */
  time_zone: z.string().max(64).refine(isTimeZone, 'is not a time zone').optional(),
  /** How many of the longest waits are listed. */
  waits: z.number().int().min(0).max(100).optional(),
});

export const ledgerSchemas = {
  history_summary: { input: historySummaryInput, output: historySummarySchema },
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
