// Conversations: what agents said and did, read from their own transcripts as ordered entries. An
// entry is placed by `seq`, which is its place in the transcript: it grows and has holes. A cursor
// names an entry and what the transcript held there, so that a file which was cut or replaced is
// noticed and becomes an explicit gap.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';
import { refSchema } from './shapes.ts';

/** Agents whose transcripts are read. */
export const conversationAgents = [
  ...(['claude', 'codex', 'copilot', 'gemini', 'kilo', 'opencode', 'qwen'] as const),
] as const;

/** Of longer texts a page holds the beginning; `read_conversation_text` has the rest. */
export const CONVERSATION_TEXT_MAX = 16_000;
const ENTRIES_MAX = 500;
const HISTORY_MAX = 100_000;

const count = z.number().int().nonnegative();
const cursorSchema = z.string().min(1).max(200);
const text = z.string();

const common = {
  /** The agent's own id of it where it has one; else its place. Never twice in a conversation. */
  id: z.string(),
  seq: count,
  cursor: cursorSchema,
  /** Where its record begins in the transcript: a byte of a file, or a row of a table. */
  position: count,
  at: z.iso.datetime().nullable(),
  /** The agent's name of the turn, where it writes one. */
  turn: z.string().nullable(),
  /** The subagent that said or did it; null for the agent itself. */
  subagent: z.string().nullable(),
  /** Fields that are cut, with the number of characters that they have. Absent: none is. */
  cut: z.record(z.string(), count).optional(),
} as const;

const entry = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.object({ ...common, kind: z.literal(kind), ...shape });

export const gapReasons = [
  'truncated',
  'replaced',
  'other_conversation',
  'unreadable',
  'line_too_long',
  'broken_line',
] as const;
export type GapReason = (typeof gapReasons)[number];

export const conversationEntrySchema = z
  .discriminatedUnion('kind', [
    entry('turn', { phase: z.enum(['began', 'ended']), duration_ms: count.nullable() }),
    entry('prompt', { text }),
    entry('text', { text }),
    /** The text is empty where the agent keeps its thoughts to itself. */
    entry('thinking', { text }),
    /** `input` is JSON. */
    entry('tool_call', { call_id: z.string(), tool: z.string(), input: text }),
    entry('tool_result', {
      call_id: z.string(),
      status: z.enum(['ok', 'error', 'denied', 'interrupted']),
      output: text,
    }),
    entry('diff', { call_id: z.string().nullable(), path: z.string(), diff: text }),
    entry('question', { call_id: z.string(), text, options: z.array(z.string()) }),
    entry('answer', { call_id: z.string(), text }),
    entry('error', { code: z.string().nullable(), text }),
    entry('interruption', { text }),
    /** `conversation` reads what it said and did, where it has a transcript of its own. */
    entry('child', { name: z.string(), text, conversation: z.string().nullable() }),
    entry('compaction', { trigger: z.string().nullable(), text }),
    entry('usage', {
      model: z.string().nullable(),
      /** With what came from a cache. */
      input_tokens: count,
      output_tokens: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
    }),
    /** Something that the agent wrote and that has no kind of its own here. */
    entry('unknown', { type: z.string(), text }),
    /** Something is missing here. */
    entry('gap', { reason: z.enum(gapReasons) }),
  ])
  .meta({ id: 'ConversationEntry' });
export type ConversationEntry = z.infer<typeof conversationEntrySchema>;
export type ConversationEntryKind = ConversationEntry['kind'];

export const conversationSchema = z
  .object({
    /** `<agent>:<session>`. */
    id: z.string(),
    agent: z.string(),
    session_id: z.string(),
    pane_key: z.string(),
    runtime_id: z.string(),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof conversationSchema>;

const pageSchema = z.object({
  ...replyHeader,
  conversation: conversationSchema,
  /** In the order of the transcript. */
  entries: z.array(conversationEntrySchema),
  /** Pass it as `before` for what came before; null where nothing did. */
  before: cursorSchema.nullable(),
  /** Pass it as `after`, here or to `watch_conversation`, for what comes after. */
  after: cursorSchema,
  /** Whether more is there already after these. */
  has_more: z.boolean(),
  /** Why a cursor does not fit any more; the page is then as without it. */
  gap: z.enum(gapReasons).nullable(),
});
export type ConversationPage = z.infer<typeof pageSchema>;

/** Which conversation: that of the agent in a pane, or one that an entry or a list names. */
const which = {
  ref: refSchema,
  /** A subagent's, as a `child` entry names it. Absent: the agent's current one. */
  conversation: z.string().min(1).max(300).optional(),
} as const;

export const readConversationInputSchema = z.strictObject({
  ...which,
  /** The newest so many, with no cursor or with `before`; the next so many with `after`. */
  limit: z.number().int().min(1).max(ENTRIES_MAX).default(100),
  before: cursorSchema.optional(),
  after: cursorSchema.optional(),
  /** From the first entry on. */
  from_start: z.boolean().default(false),
});
export type ReadConversationInput = z.output<typeof readConversationInputSchema>;

export const watchConversationInputSchema = z.strictObject({
  ...which,
  /** Goes on after this entry. Absent: the newest `last` come first. */
  cursor: cursorSchema.optional(),
  last: z.number().int().min(0).max(HISTORY_MAX).default(100),
});
export type WatchConversationInput = z.output<typeof watchConversationInputSchema>;

export const watchedConversationSchema = z.object({
  subscription: z.string(),
  /** Null: none has begun. */
  conversation: conversationSchema.nullable(),
});
export type WatchedConversation = z.infer<typeof watchedConversationSchema>;

const push = { subscription: z.string() } as const;

/** The pushes of `watch_conversation`, in the order in which they come. */
export const conversationPushSchemas = {
  /** A conversation begins to be sent: at the start, or because the agent changed to another. */
  conversation_began: z.object({
    ...push,
    conversation: conversationSchema,
    /** False: it goes on at the cursor. */
    is_snapshot: z.boolean(),
  }),
  /** `phase` is `snapshot` for what was there, then `live`. */
  conversation_entries: z.object({
    ...push,
    phase: z.enum(['snapshot', 'live']),
    entries: z.array(conversationEntrySchema),
    cursor: cursorSchema,
  }),
  /** Everything that was there has been sent. */
  conversation_caught_up: z.object({ ...push, cursor: cursorSchema }),
  /** What was sent and what follows do not join; a snapshot follows. */
  conversation_gap: z.object({ ...push, reason: z.enum(gapReasons) }),
  /** Nothing more comes. */
  conversation_ended: z.object({ ...push, reason: z.string() }),
} as const;

export type ConversationPushName = keyof typeof conversationPushSchemas;
export type ConversationPush<Name extends ConversationPushName> = z.infer<
  (typeof conversationPushSchemas)[Name]
>;

const readConversationTextInputSchema = z.strictObject({
  ...which,
  /** Of the entry. */
  cursor: cursorSchema,
  field: z.enum(['text', 'input', 'output', 'diff']),
  /** Characters before the piece. */
  from: count.default(0),
});
export type ReadConversationTextInput = z.output<typeof readConversationTextInputSchema>;

export const conversationSchemas = {
  list_conversations: {
    input: z.strictObject({}),
    output: z.object({ ...replyHeader, conversations: z.array(conversationSchema) }),
  },
  read_conversation: { input: readConversationInputSchema, output: pageSchema },
  read_conversation_text: {
    input: readConversationTextInputSchema,
    output: z.object({
      ...replyHeader,
      text: z.string(),
      /** Pass it as `from` for the next piece; null at the end. */
      next: count.nullable(),
    }),
  },
  watch_conversation: { input: watchConversationInputSchema, output: watchedConversationSchema },
} as const;
