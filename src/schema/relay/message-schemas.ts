// Messages between agents and people: sending, reading, replying, and their receipts. Who calls is
// proven by the connection (`prove_identity`), never named in the input.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import { partyKinds, receiptStatuses, replyChannels } from './message.ts';

/** A pane or a party, as a caller names it. */
const nameSchema = z.string().min(1).max(8192);
/** Longer ones arrive here whole, to be refused by name. */
const BODY_LENGTH_MAX = 2_000_000;
const RECIPIENTS_MAX = 64;
const ATTACHMENTS_MAX = 16;
const PATH_LENGTH_MAX = 4_096;
const WAIT_MS_MAX = 600_000;
const EXPIRY_MS_MAX = 7 * 86_400_000;
const LISTED_MAX = 200;

export const partySchema = z.object({
  /** `member:team/coder`, `runtime:<id>` or `operator:<name>`. */
  id: z.string(),
  kind: z.enum(partyKinds),
  name: z.string(),
  bundle: z.string().nullable(),
  /** Where it is now, as tables print it; null for a person and for one that is not there. */
  ref: z.string().nullable(),
});
export type PartyItem = z.infer<typeof partySchema>;

export const receiptSchema = z.object({
  recipient: partySchema,
  copy: z.boolean(),
  /** The furthest that it came: replied, else read, else how its delivery stands. */
  status: z.enum([...receiptStatuses, 'read', 'replied']),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** How the recipient can reply; null until it was delivered. */
  reply_channel: z.enum(replyChannels).nullable(),
  settled_at: z.iso.datetime().nullable(),
  read_at: z.iso.datetime().nullable(),
  replied_at: z.iso.datetime().nullable(),
});
export type ReceiptItem = z.infer<typeof receiptSchema>;

export const messageSchema = z.object({
  message_id: z.string(),
  thread_id: z.string(),
  reply_to: z.string().nullable(),
  bundle: z.string().nullable(),
  from: partySchema,
  subject: z.string().nullable(),
  body: z.string(),
  attachments: z.array(z.string()),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  receipts: z.array(receiptSchema),
});
export type MessageItem = z.infer<typeof messageSchema>;

export const sentMessageSchema = z.object({
  ...replyHeader,
  mode: z.enum(['async', 'sync']),
  /** accepted: not waited for. success, partial, failure: what the wait has shown. */
  status: z.enum(['accepted', 'success', 'partial', 'failure']),
  message: messageSchema,
});
export type SentMessage = z.infer<typeof sentMessageSchema>;

const idSchema = z.string().min(1).max(64);

/** What every way of writing takes. */
const contentShape = {
  message: z.string().min(1).max(BODY_LENGTH_MAX),
  attachments: z.array(z.string().min(1).max(PATH_LENGTH_MAX)).max(ATTACHMENTS_MAX).default([]),
  /** How long it may wait for its recipients; absent: as configured. */
  expires_in_ms: z.number().int().min(1_000).max(EXPIRY_MS_MAX).optional(),
  /** Waits that long for the outcome; what is still queued then stays queued. */
  wait_ms: z.number().int().min(1).max(WAIT_MS_MAX).optional(),
  /** The same request of the same sender twice is one message. */
  request_ref: z.string().min(1).max(200).optional(),
  /** The identity of a person as tui.toml declares it; refused for agents. */
  as: z.string().min(1).max(64).optional(),
};
const subjectSchema = z.string().min(1).max(300).optional();
const partiesSchema = z.array(nameSchema).max(RECIPIENTS_MAX);

export const sendMessageSchema = z.strictObject({
  ...contentShape,
  subject: subjectSchema,
  /** Members, as in `coder` or `team/coder`; agents by any reference; `operator:<name>`. */
  to: partiesSchema.min(1),
  cc: partiesSchema.default([]),
  /** Where a bare name is looked for; absent: in the bundle of the sender. */
  bundle: z.string().min(1).max(200).optional(),
});
export type SendMessageInput = z.output<typeof sendMessageSchema>;

export const broadcastMessageSchema = z.strictObject({
  ...contentShape,
  subject: subjectSchema,
  /** Absent: the bundle of the sender. */
  bundle: z.string().min(1).max(200).optional(),
  /** To every live agent instead. */
  all_agents: z.boolean().default(false),
});
export type BroadcastMessageInput = z.output<typeof broadcastMessageSchema>;

export const replyMessageSchema = z.strictObject({
  ...contentShape,
  message_id: idSchema,
  /** Also to the other recipients of the message. */
  all: z.boolean().default(false),
});
export type ReplyMessageInput = z.output<typeof replyMessageSchema>;

export const listInboxSchema = z.strictObject({
  /** all: every message that the caller may see; for people, those of everybody. */
  box: z.enum(['inbox', 'sent', 'all']).default('inbox'),
  unread: z.boolean().default(false),
  /** Only those that were neither read nor typed: what is new in the middle of a turn. */
  untyped: z.boolean().default(false),
  thread_id: idSchema.optional(),
  /** Only those that came after this message of the same list. */
  after: idSchema.optional(),
  /** Waits that long until there is one; absent: replies at once. */
  wait_ms: contentShape.wait_ms,
  limit: z.number().int().min(1).max(LISTED_MAX).default(50),
  as: contentShape.as,
});
export type ListInboxInput = z.output<typeof listInboxSchema>;

export const inboxSchema = z.object({
  ...replyHeader,
  party: partySchema,
  unread_count: z.number().int(),
  /** The newest first. */
  messages: z.array(messageSchema),
});
export type Inbox = z.infer<typeof inboxSchema>;

export const readMessageSchema = z.strictObject({
  message_id: idSchema,
  /** Leaves it unread. */
  peek: z.boolean().default(false),
  as: contentShape.as,
});
export type ReadMessageInput = z.output<typeof readMessageSchema>;

const messageReplySchema = z.object({ ...replyHeader, message: messageSchema });

export const identitySchema = z.object({
  ...replyHeader,
  party: partySchema,
  /** pane: its process runs in the pane, or below the agent. person: no agent runs it. */
  proof: z.enum(['pane', 'person', 'door']),
  policy: z.string().nullable(),
  unread_count: z.number().int(),
});
export type CallerIdentity = z.infer<typeof identitySchema>;

export const partyListSchema = z.object({
  ...replyHeader,
  you: partySchema,
  parties: z.array(
    partySchema.extend({
      is_you: z.boolean(),
      /** Null for a person, and for one that is not up. */
      state: z.string().nullable(),
      may_send: z.boolean(),
      may_look: z.boolean(),
      may_write_raw: z.boolean(),
    }),
  ),
});
export type PartyList = z.infer<typeof partyListSchema>;

const LOOK_LINES_MAX = 1_000;

export const lookSchema = z.object({
  ...replyHeader,
  party: partySchema,
  captured_at: z.iso.datetime(),
  state: z.string(),
  /** Oldest first, without escape sequences and trailing blank lines. */
  lines: z.array(z.string()),
});
export type Look = z.infer<typeof lookSchema>;

export const messageSchemas = {
  begin_proof: {
    input: z.strictObject({}),
    output: z.object({
      ...replyHeader,
      /** Open it for writing and keep it open; null where the system has no such proof. */
      path: z.string().nullable(),
    }),
  },
  prove_identity: {
    input: z.strictObject({
      /** The process that has the file of `begin_proof` open. */
      pid: z.number().int().positive(),
    }),
    output: identitySchema,
  },
  whoami: { input: z.strictObject({ as: contentShape.as }), output: identitySchema },
  list_parties: { input: z.strictObject({ as: contentShape.as }), output: partyListSchema },
  send_message: { input: sendMessageSchema, output: sentMessageSchema },
  broadcast_message: { input: broadcastMessageSchema, output: sentMessageSchema },
  reply_message: { input: replyMessageSchema, output: sentMessageSchema },
  list_inbox: { input: listInboxSchema, output: inboxSchema },
  read_message: { input: readMessageSchema, output: messageReplySchema },
  cancel_message: {
    input: z.strictObject({
      message_id: idSchema,
      /** Absent: for all that it waits for. */
      recipient: nameSchema.optional(),
      as: contentShape.as,
    }),
    output: messageReplySchema,
  },
  message_status: {
    input: z.strictObject({
      message_id: idSchema,
      wait_ms: contentShape.wait_ms,
      as: contentShape.as,
    }),
    output: sentMessageSchema,
  },
  look: {
    input: z.strictObject({
      ref: nameSchema,
      lines: z.number().int().min(1).max(LOOK_LINES_MAX).default(120),
      as: contentShape.as,
    }),
    output: lookSchema,
  },
} as const;
