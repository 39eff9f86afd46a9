// What an agent and its person said, as far as it was read: the entries of its transcript, and the
// parts that a page shows, in which a tool has its result and its diffs. Pure.

import type {
  Conversation,
  ConversationEntry,
  ConversationPage,
  GapReason,
} from '../../schema/api/conversation.ts';
import type { ConversationStreamMessage } from '../../web-client/web-client.ts';

/** Older entries are left out, and can be read again. */
const ENTRIES_MAX = 5_000;

export interface ConversationText {
  /** Null before one has begun. */
  readonly conversation: Conversation | null;
  readonly entries: readonly ConversationEntry[];
  /** Whether there may be more before the first entry. */
  readonly hasEarlier: boolean;
  /** All that was there has come. */
  readonly isWhole: boolean;
  /** Why what was shown before does not join what is shown now. */
  readonly gap: GapReason | null;
}

export const emptyConversation: ConversationText = {
  conversation: null,
  entries: [],
  hasEarlier: false,
  isWhole: false,
  gap: null,
};

export function applyConversation(
  text: ConversationText,
  message: ConversationStreamMessage,
): ConversationText {
  switch (message.type) {
    case 'conversation_began': {
      const { conversation, is_snapshot: isSnapshot } = message.data;
      if (!isSnapshot) return { ...text, conversation };
      return { ...emptyConversation, conversation, gap: text.gap, hasEarlier: true };
    }
    case 'conversation_entries':
      return withEntries(text, [...text.entries, ...message.data.entries]);
    case 'conversation_caught_up':
      return { ...text, isWhole: true, hasEarlier: text.hasEarlier && text.entries.length > 0 };
    case 'conversation_gap':
      return { ...text, gap: message.data.reason };
    case 'conversation_ended':
      return text;
  }
}

/** With a page of what came before. */
export function withEarlier(
  text: ConversationText,
  { entries, before, gap }: Pick<ConversationPage, 'entries' | 'before' | 'gap'>,
): ConversationText {
  // The transcript was replaced meanwhile: the stream says so too, and begins anew.
  if (gap !== null) return { ...text, hasEarlier: false };
  const all = [...entries, ...text.entries];
  const hasRoom = all.length < ENTRIES_MAX;
  return { ...text, entries: all, hasEarlier: before !== null && entries.length > 0 && hasRoom };
}

/** Whether the page holds as much of it as it may. */
export const isFull = ({ entries }: ConversationText): boolean => entries.length >= ENTRIES_MAX;

function withEntries(text: ConversationText, all: readonly ConversationEntry[]): ConversationText {
  const entries = all.slice(-ENTRIES_MAX);
  return { ...text, entries, hasEarlier: text.hasEarlier || entries.length < all.length };
}

export type EntryOf<Kind extends ConversationEntry['kind']> = Extract<
  ConversationEntry,
  { kind: Kind }
>;

/** What is shown as one: an entry with what belongs to it. */
export interface ConversationPart {
  readonly key: string;
  readonly entry: ConversationEntry;
  readonly result: EntryOf<'tool_result'> | null;
  readonly answer: EntryOf<'answer'> | null;
  readonly diffs: readonly EntryOf<'diff'>[];
}

interface OpenPart extends ConversationPart {
  result: EntryOf<'tool_result'> | null;
  answer: EntryOf<'answer'> | null;
  diffs: EntryOf<'diff'>[];
}

/** What was answered to one question; agents may write all answers of a call as one. */
export function answerTo(
  { text }: EntryOf<'question'>,
  answer: EntryOf<'answer'> | null,
): string | null {
  const own = answer?.text.split('\n').find((line) => line.startsWith(`${text}: `));
  return own?.slice(text.length + 2).trim() ?? answer?.text.trim() ?? null;
}

/** Shorter turns are those of commands. */
const TURN_MS_MIN = 1_000;

/** What says nothing to a person. */
const isSilent = (entry: ConversationEntry): boolean =>
  entry.kind === 'usage' ||
  entry.kind === 'unknown' ||
  (entry.kind === 'turn' && (entry.phase === 'began' || (entry.duration_ms ?? 0) < TURN_MS_MIN)) ||
  (entry.kind === 'thinking' && entry.text.trim() === '');

export function conversationParts(
  entries: readonly ConversationEntry[],
): readonly ConversationPart[] {
  const parts: OpenPart[] = [];
  const calls = new Map<string, OpenPart>();
  const questions = new Map<string, readonly OpenPart[]>();
  for (const entry of entries) {
    if (isSilent(entry) || joins(entry, calls, questions)) continue;
    const part: OpenPart = {
      ...{ key: `${entry.seq} ${entry.id}`, entry },
      ...{ result: null, answer: null, diffs: [] },
    };
    parts.push(part);
    if (entry.kind === 'tool_call') calls.set(entry.call_id, part);
    if (entry.kind === 'question') {
      questions.set(entry.call_id, [...(questions.get(entry.call_id) ?? []), part]);
    }
  }
  // A call that asks is shown as what it asks.
  return parts.filter(({ entry }) => entry.kind !== 'tool_call' || !questions.has(entry.call_id));
}

/** Whether the entry belongs to a part before it. */
function joins(
  entry: ConversationEntry,
  calls: ReadonlyMap<string, OpenPart>,
  questions: ReadonlyMap<string, readonly OpenPart[]>,
): boolean {
  if (entry.kind === 'tool_result') {
    const call = calls.get(entry.call_id);
    if (!call || call.result !== null) return false;
    call.result = entry;
    return true;
  }
  if (entry.kind === 'diff') {
    const call = calls.get(entry.call_id ?? '');
    if (!call) return false;
    // What was asked for is a part of what was done, which has the lines around it.
    const { path } = entry;
    if (call.result !== null) call.diffs = call.diffs.filter((each) => each.path !== path);
    call.diffs.push(entry);
    return true;
  }
  if (entry.kind !== 'answer') return false;
  const all = questions.get(entry.call_id) ?? [];
  for (const question of all) question.answer = entry;
  return all.length > 0;
}
