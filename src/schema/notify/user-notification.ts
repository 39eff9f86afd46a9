// What a person is notified of, as it is stored and handed to channels, and what is kept of it
// afterwards: one delivery for each channel, and one line of the log for each decision.

import { z } from 'zod';
import { atMsSchema } from '../shapes.ts';
import {
  decisionReasonSchema,
  digestWindowSchema,
  type Episode,
  muteRuleSchema,
} from './episode.ts';
import { notifyKindSchema } from './notify-kind.ts';

const text = z.string().max(4_096);

/** One request in a notification, with all that may be shown of it. Channels leave out most. */
export const notificationItemSchema = z.object({
  paneKey: z.string(),
  /** What to type to reach the pane: `work:0.1`. */
  ref: z.string(),
  agent: z.string().nullable(),
  target: z.string(),
  session: z.string().nullable(),
  /** Session, window and pane: `work:0.1`. */
  place: z.string(),
  kind: notifyKindSchema,
  sinceMs: atMsSchema,
  title: text.nullable(),
  /** What the agent asks for, or how it ended. */
  request: text.nullable(),
  prompt: text.nullable(),
  message: text.nullable(),
  path: text.nullable(),
});
export type NotificationItem = z.infer<typeof notificationItemSchema>;

export const userNotificationSchema = z.object({
  /** Counts up; never used twice. */
  number: z.number().int().positive(),
  atMs: atMsSchema,
  isTest: z.boolean(),
  /** Listeners show it too. */
  isForTerminals: z.boolean(),
  /** At most so many; `moreCount` says how many are left out. */
  items: z.array(notificationItemSchema).min(1),
  moreCount: z.number().int().nonnegative(),
});
export type UserNotification = z.infer<typeof userNotificationSchema>;

/** `started`: an attempt is under way. `unconfirmed`: the daemon ended during one. */
export const notifyDeliveryStatuses = [
  'queued',
  'started',
  'delivered',
  'failed',
  'unconfirmed',
] as const;
export type NotifyDeliveryStatus = (typeof notifyDeliveryStatuses)[number];

/** A notification on one channel, with its attempts. */
export interface NotifyDelivery {
  readonly number: number;
  readonly channel: string;
  readonly status: NotifyDeliveryStatus;
  readonly attemptCount: number;
  /** No attempt before this. */
  readonly dueAtMs: number;
  readonly detail: string | null;
  readonly changedAtMs: number;
}

export const muteItemSchema = z.object({
  ...muteRuleSchema.shape,
  muteId: z.string(),
});
export type MuteItem = z.infer<typeof muteItemSchema>;

/** What is remembered besides the episodes. */
export const notifyMemorySchema = z.object({
  /** What a person has switched; null: the configuration says. */
  isOn: z.boolean().nullable(),
  /** Whether it was on at the last step: what is open when it is switched on is no news. */
  wasOn: z.boolean(),
  window: digestWindowSchema.nullable(),
  sentCount: z.number().int().nonnegative(),
  mutes: z.array(muteItemSchema),
});
export type NotifyMemory = z.infer<typeof notifyMemorySchema>;

export const emptyNotifyMemory: NotifyMemory = {
  isOn: null,
  wasOn: false,
  window: null,
  sentCount: 0,
  mutes: [],
};

/** One decision, as `agtmux notify log` shows it. It holds no text of the agent. */
export const notifyEntrySchema = z.object({
  atMs: atMsSchema,
  paneKey: z.string(),
  agent: z.string().nullable(),
  place: z.string(),
  kind: notifyKindSchema,
  sinceMs: atMsSchema,
  reason: decisionReasonSchema,
  /** The number of its notification; null where nobody is notified. */
  number: z.number().int().positive().nullable(),
});
export type NotifyEntry = z.infer<typeof notifyEntrySchema>;

/** What one step of the policy has changed: stored all or nothing. */
export interface NotifyCommit {
  readonly atMs: number;
  readonly memory: NotifyMemory;
  readonly changedEpisodes: readonly Episode[];
  readonly forgottenIds: readonly string[];
  readonly entries: readonly NotifyEntry[];
  readonly notifications: readonly UserNotification[];
  /** A notification may have several, one for each channel. */
  readonly deliveries: readonly { readonly number: number; readonly channel: string }[];
}
