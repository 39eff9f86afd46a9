// Read-only shares: links that show the screen of one agent to whoever has them, for a while. Codes
// are kept as hashes, so each link is shown once.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';

export const SHARE_MS_DEFAULT = 3_600_000;
const SHARE_MS_MIN = 60_000;
const SHARE_MS_MAX = 7 * 86_400_000;
export const SHARES_MAX = 64;

const time = z.iso.datetime();
const shareId = z.string().regex(/^[0-9a-f]{1,16}$/, 'is not the id of a share');

export const storedSharesSchema = z
  .array(
    z.object({
      id: shareId,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      paneKey: z.string(),
      runtimeId: z.string(),
      /** What to type to reach the pane, as it was then. */
      place: z.string(),
      agent: z.string().nullable(),
      /** Who made it; null: somebody without a token. */
      tokenId: z.string().nullable(),
      createdAtMs: z.number(),
      expiresAtMs: z.number(),
      viewedAtMs: z.number().nullable().default(null),
    }),
  )
  .max(SHARES_MAX);
export type StoredShare = z.infer<typeof storedSharesSchema>[number];

const shareItemSchema = z.object({
  id: shareId,
  pane_key: z.string(),
  ref: z.string(),
  agent: z.string().nullable(),
  created_at: time,
  expires_at: time,
  /**
   * `closed`: no web service is open, so nothing is shown now. `ended`: the agent is gone, and
   * nothing is shown any more.
   */
  status: z.enum(['live', 'closed', 'ended']),
  /** When somebody last looked; where the daemon was started anew since, to ten minutes. */
  viewed_at: time.nullable(),
});
export type ShareItem = z.infer<typeof shareItemSchema>;

export const sharedScreenSchema = z.object({
  ...replyHeader,
  agent: z.string().nullable(),
  state: z.string(),
  expires_at: time,
  columns: z.number().int().nonnegative(),
  /** Names what is shown. */
  version: z.string(),
  /** Of all escape sequences only colours are left. Null: as in the version that was named. */
  lines: z.array(z.string()).nullable(),
});
export type SharedScreen = z.infer<typeof sharedScreenSchema>;

export const shareSchemas = {
  share_pane: {
    input: z.strictObject({
      ref: z.string().min(1).max(1_024),
      expires_in_ms: z.number().int().min(SHARE_MS_MIN).max(SHARE_MS_MAX).default(SHARE_MS_DEFAULT),
    }),
    output: z.object({ ...replyHeader, share: shareItemSchema, link: z.string() }),
  },
  list_shares: {
    input: z.strictObject({}),
    output: z.object({ ...replyHeader, shares: z.array(shareItemSchema) }),
  },
  revoke_share: {
    input: z.strictObject({ id: shareId }),
    output: z.object({ ...replyHeader, shares: z.array(shareItemSchema) }),
  },
  read_share: {
    input: z.strictObject({
      code: z.string().min(1).max(64),
      /** What the viewer shows already. */
      version: z.string().max(64).optional(),
    }),
    output: sharedScreenSchema,
  },
} as const;
