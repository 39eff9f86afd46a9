// The last words of a conversation: the prompt of the person and the message of the agent, of
// transcripts that are read for nothing else. They claim no state.

import type { Normaliser } from '../adapter.ts';
import { type Fields, readFields } from '../signals/fields.ts';
import { buildSignal, ignoredSignal, unknownSignal } from '../signals/signal-content.ts';
import { describeMessage, describePrompt } from '../signals/tool-activity.ts';
import type { ConversationParser, EntryDraft } from './entry-draft.ts';

/** A normaliser of the records that the parser reads. */
export const lastWordsNormaliser =
  (parse: ConversationParser): Normaliser =>
  (raw, context) => {
    const fields = readFields(raw);
    if (typeof fields === 'string') return unknownSignal(fields);
    const record = recordOf(parse, fields);
    if (record === null || record.subagent !== null) return ignoredSignal('no words of the turn');
    const activity = {
      ...describePrompt({ text: lastText(record.entries, 'prompt') }, 'text'),
      ...describeMessage({ text: lastText(record.entries, 'text') }, 'text'),
    };
    if (Object.keys(activity).length === 0) return ignoredSignal('no words');
    const eventTimeMs = record.atMs ?? undefined;
    return buildSignal('conversation', { activity }, context, { eventTimeMs });
  };

/** A record that nests without end cannot be written as text: the reader of a page shows a gap. */
function recordOf(parse: ConversationParser, fields: Fields): ReturnType<ConversationParser> {
  try {
    // What comes before a record adds no words to it.
    return parse(fields, () => null);
  } catch {
    return null;
  }
}

function lastText(entries: readonly EntryDraft[], kind: 'prompt' | 'text'): string | undefined {
  const found = entries.findLast((each) => each.kind === kind && each.text.trim() !== '');
  return found?.kind === kind ? found.text : undefined;
}
