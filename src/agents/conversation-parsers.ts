// By agent: what turns the records of its transcripts into entries of a conversation.

import { claudeConversation } from './claude/conversation.ts';
import { codexConversation } from './codex/conversation.ts';
import type { ConversationParser } from './conversation/entry-draft.ts';

export const conversationParsers: Readonly<Record<string, ConversationParser>> = {
  claude: claudeConversation,
  codex: codexConversation,
};
