// The stream of changes that `subscribe` opens: one snapshot, then deltas. Each message carries the
// cursor to resume from. A reader that is too slow gets a fresh snapshot in place of what it
// missed, with that reason.

import { z } from 'zod';
import { attentionItemSchema, paneItemSchema, summarySchema } from './panes.ts';
import { doneSchema } from './shapes.ts';
import { outageSchema } from './targets.ts';

export const subscribeTopics = ['state_changed', 'summary_changed', 'attention_changed'] as const;

export const subscribeInputSchema = z.strictObject({
  topics: z.array(z.enum(subscribeTopics)).max(3).optional(),
  /** Resumes after this cursor where that is possible; else a snapshot comes first. */
  cursor: z.string().max(256).optional(),
});
export type SubscribeInput = z.infer<typeof subscribeInputSchema>;

/** The output of `subscribe`; pushes with the same `subscription` follow. */
export const subscribedSchema = z.object({
  subscription: z.string(),
  /** False: a snapshot comes first. */
  resumed: z.boolean(),
  cursor: z.string(),
});
export type Subscribed = z.infer<typeof subscribedSchema>;

const common = { subscription: z.string(), cursor: z.string(), generated_at: z.iso.datetime() };

/** Method names of the pushes; each is a JSON-RPC notification. */
export const pushSchemas = {
  /** Everything, once: at the start, after a gap, or for a reader that was too slow. */
  snapshot: z.object({
    ...common,
    reason: z.enum(['start', 'invalid_cursor', 'slow_reader']),
    panes: z.array(paneItemSchema),
    summary: summarySchema,
    outages: z.array(outageSchema),
  }),
  state_changed: z.object({
    ...common,
    panes: z.array(paneItemSchema),
    /** Keys of panes that are no longer remembered. */
    removed: z.array(z.string()),
  }),
  summary_changed: z.object({
    ...common,
    summary: summarySchema,
    outages: z.array(outageSchema),
  }),
  attention_changed: z.object({
    ...common,
    panes: z.array(
      z.object({ pane_key: z.string(), ref: z.string(), attention: attentionItemSchema }),
    ),
  }),
} as const;
export type PushName = keyof typeof pushSchemas;
export type Push<Name extends PushName> = z.infer<(typeof pushSchemas)[Name]>;

export const streamSchemas = {
  subscribe: { input: subscribeInputSchema, output: subscribedSchema },
  unsubscribe: { input: z.strictObject({ subscription: z.string().max(128) }), output: doneSchema },
} as const;
