// By agent, or by the format that a transcript names: what turns the records of transcripts into
// entries of a conversation.

import { claudeConversation } from './claude/conversation.ts';
import { codexConversation } from './codex/conversation.ts';
import type { ConversationParser } from './conversation/entry-draft.ts';
import { copilotConversation } from './copilot/conversation.ts';
import { geminiConversation } from './gemini/conversation.ts';
import { qwenConversation } from './qwen/conversation.ts';
import { acpConversation } from './shared/acp-conversation.ts';
import { sessionConversation } from './shared/session-conversation.ts';

export const conversationParsers: Readonly<Record<string, ConversationParser>> = {
  /** Of every agent that speaks ACP. */
  acp: acpConversation,
  claude: claudeConversation,
  codex: codexConversation,
  copilot: copilotConversation,
  gemini: geminiConversation,
  kilo: sessionConversation('kilo'),
  opencode: sessionConversation('opencode'),
  qwen: qwenConversation,
};

/** Parsers that need the record before the one that they read. */
export const parsersThatLookBack: ReadonlySet<string> = new Set(['qwen']);
