// Entries of an ACP member's transcript, as relay/acp/acp-transcript.ts keeps them: one record is
// one whole entry already.

import type { ConversationParser, EntryDraft } from '../conversation/entry-draft.ts';
import { idAt, numberAt } from '../signals/fields.ts';

export const acpConversation: ConversationParser = (fields) => {
  const { at: _at, ...entry } = fields;
  if (idAt(fields, 'kind') === undefined) return null;
  const drafts = [entry as unknown as EntryDraft];
  return { atMs: numberAt(fields, 'at') ?? null, turn: null, subagent: null, entries: drafts };
};
