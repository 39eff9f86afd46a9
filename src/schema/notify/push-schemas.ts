// The browsers that are notified by push messages: what can be asked of them, and how they are
// stored. The keys and endpoints of others are shown to nobody.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';

/** As many as somebody has devices, and more. */
export const PUSH_SUBSCRIPTIONS_MAX = 32;

const time = z.iso.datetime();
const endpoint = z.string().min(1).max(2_048);
const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,128}={0,2}$/, 'is not base64url');
const label = z.string().min(1).max(64);
const subscriptionId = z.string().regex(/^[0-9a-f]{1,32}$/, 'is not the id of a subscription');

const pushKeysSchema = z.strictObject({ p256dh: base64url, auth: base64url });

export const storedPushSchema = z.object({
  keys: z.object({ publicKey: base64url, privateKey: base64url }),
  subscriptions: z
    .array(
      z.object({
        id: subscriptionId,
        endpoint,
        keys: pushKeysSchema,
        label,
        /** Whose browser it is; null: of somebody without a token. */
        tokenId: z.string().nullable(),
        createdAtMs: z.number(),
      }),
    )
    .max(PUSH_SUBSCRIPTIONS_MAX),
});
export type StoredPush = z.infer<typeof storedPushSchema>;

const pushItemSchema = z.object({
  id: subscriptionId,
  label,
  /** The host of the push service: the one that its browser uses. */
  service: z.string(),
  /** Of the web service; null where no token was needed. */
  token: z.string().nullable(),
  created_at: time,
  /** What became of the last message, since the daemon runs. */
  last: z.object({ at: time, problem: z.string().nullable() }).nullable(),
});

const pushStatusSchema = z.object({
  ...replyHeader,
  /** Whether notifications are on at all: see `notify_switch`. */
  on: z.boolean(),
  /** What a browser subscribes with: the `applicationServerKey`. */
  public_key: z.string(),
  subscriptions: z.array(pushItemSchema),
});
export type PushStatus = z.infer<typeof pushStatusSchema>;

export const webPushSchemas = {
  push_status: { input: z.strictObject({}), output: pushStatusSchema },
  subscribe_push: {
    input: z.strictObject({ endpoint, keys: pushKeysSchema, label }),
    output: z.object({ ...replyHeader, subscription: pushItemSchema }),
  },
  unsubscribe_push: {
    input: z.strictObject({ id: subscriptionId }),
    output: pushStatusSchema,
  },
  test_push: {
    input: z.strictObject({ id: subscriptionId }),
    output: z.object({ ...replyHeader, delivered: z.boolean(), detail: z.string().nullable() }),
  },
} as const;
