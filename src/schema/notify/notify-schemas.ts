// What can be asked about notifications: whether they are on, what was decided and why, who is
// muted.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import { decisionReasonSchema, notifyWaits } from './episode.ts';
import { notifyKindSchema } from './notify-kind.ts';
import { notifyDeliveryStatuses } from './user-notification.ts';

const time = z.iso.datetime();
const count = z.number().int().nonnegative();
/** Timers hold no longer wait, and a client asks again anyway. */
const LISTEN_MS_MAX = 60_000;

export const muteItemWireSchema = z.object({
  /** What `notify_unmute` takes; null for a rule of config.toml. */
  id: z.string().nullable(),
  agent: z.string().nullable(),
  session: z.string().nullable(),
  target: z.string().nullable(),
  hours: z.string().nullable(),
  until: time.nullable(),
});
export type MuteWireItem = z.infer<typeof muteItemWireSchema>;

const deliveryWireSchema = z.object({
  channel: z.string(),
  status: z.enum(notifyDeliveryStatuses),
  attempts: count,
  detail: z.string().nullable(),
  at: time,
});
export type DeliveryWireItem = z.infer<typeof deliveryWireSchema>;

export const notifyStatusSchema = z.object({
  ...replyHeader,
  on: z.boolean(),
  /** `command`: agtmux notify on or off goes before config.toml. */
  decided_by: z.enum(['command', 'config']),
  channels: z.array(
    z.object({
      channel: z.string(),
      /** Whether notifications go to it; else it can only be tested. */
      used: z.boolean(),
      last: deliveryWireSchema.nullable(),
    }),
  ),
  /** Terminals in which `agtmux notify listen` runs. */
  listeners: count,
  /** What is not decided yet, and what it waits for. */
  pending: z.array(
    z.object({
      agent: z.string().nullable(),
      place: z.string(),
      kind: notifyKindSchema,
      since: time,
      waits_for: z.enum(notifyWaits).nullable(),
    }),
  ),
  mutes: z.array(muteItemWireSchema),
});
export type NotifyStatus = z.infer<typeof notifyStatusSchema>;

export const notifyLogEntrySchema = z.object({
  at: time,
  agent: z.string().nullable(),
  place: z.string(),
  pane_key: z.string(),
  kind: notifyKindSchema,
  since: time,
  notified: z.boolean(),
  reason: decisionReasonSchema,
  /** Decisions of one digest share it; null where nobody was notified. */
  notification: z.number().int().positive().nullable(),
  deliveries: z.array(deliveryWireSchema),
});

export const notifyLogSchema = z.object({ ...replyHeader, entries: z.array(notifyLogEntrySchema) });
export type NotifyLog = z.infer<typeof notifyLogSchema>;

export const terminalNotificationSchema = z.object({
  number: z.number().int().positive(),
  at: time,
  test: z.boolean(),
  headline: z.string(),
  lines: z.array(z.string()),
  refs: z.array(z.string()),
});
export type TerminalNotification = z.infer<typeof terminalNotificationSchema>;

const muteText = z.string().min(1).max(200);

export const notifySchemas = {
  notify_status: { input: z.strictObject({}), output: notifyStatusSchema },
  notify_switch: {
    /** Null: as config.toml says. */
    input: z.strictObject({ on: z.boolean().nullable() }),
    output: notifyStatusSchema,
  },
  notify_test: {
    input: z.strictObject({ channel: z.string().min(1).max(64).optional() }),
    output: z.object({
      ...replyHeader,
      results: z.array(
        z.object({ channel: z.string(), delivered: z.boolean(), detail: z.string().nullable() }),
      ),
    }),
  },
  notify_log: {
    input: z.strictObject({ limit: z.number().int().positive().max(1_000).optional() }),
    output: notifyLogSchema,
  },
  notify_mute: {
    input: z.strictObject({
      agent: muteText.optional(),
      session: muteText.optional(),
      target: muteText.optional(),
      hours: z.string().max(64).optional(),
      for_ms: z
        .number()
        .int()
        .positive()
        .max(3_650 * 86_400_000)
        .optional(),
    }),
    output: notifyStatusSchema,
  },
  notify_unmute: {
    /** Absent: every rule that a person has added. */
    input: z.strictObject({ id: z.string().min(1).max(32).optional() }),
    output: notifyStatusSchema,
  },
  notify_listen: {
    input: z.strictObject({
      /** The last number that was shown; absent: what comes from now on. */
      after: z.number().int().nonnegative().optional(),
      /** Replies with nothing after this time. */
      timeout_ms: z.number().int().positive().max(LISTEN_MS_MAX),
    }),
    output: z.object({
      ...replyHeader,
      after: z.number().int().nonnegative(),
      notifications: z.array(terminalNotificationSchema),
    }),
  },
} as const;
