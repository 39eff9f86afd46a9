// Lines of Gemini CLI's `chats/session-*.jsonl` as entries of a conversation. A message is written
// again under its id when its tools are done. After a turn that was left the whole history is
// written again under new ids: those copies follow a message with the context of the session.

import {
  type ConversationParser,
  diffOfEdit,
  type EntryDraft,
  partsOf,
  questionEntries,
  type RecordDraft,
  textOfParts,
  textOfValue,
  tokensAt,
  unknownEntry,
  wholeText,
} from '../conversation/entry-draft.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, fieldsAt, idAt, isFields, textAt, valueAt } from '../signals/fields.ts';

const questionTools: ReadonlySet<string> = new Set(['ask_user', 'ask_user_question']);
const context = /^<session_context>/;
/** Copies are written at once; a person takes longer for the next prompt. */
const COPIES_MS = 50;
/** What stands behind the summary of what was compressed. */
const COMPRESSED = 'Got it. Thanks for the additional context!';

const textOfContent = (fields: Fields): string => textOfParts(valueAt(fields, 'content'));

function responseText(call: Fields): string {
  return partsOf(call, 'result')
    .filter(isFields)
    .map((part) => {
      const response = fieldsAt(part, 'functionResponse.response');
      if (response === undefined) return wholeText(part, 'text') ?? '';
      return wholeText(response, 'output', 'error', 'content') ?? textOfValue(response);
    })
    .join('\n');
}

function statusOf(call: Fields, output: string) {
  const status = textAt(call, 'status');
  if (status === 'success') return 'ok' as const;
  if (status !== 'cancelled') return 'error' as const;
  return /denied|rejected/i.test(output) ? ('denied' as const) : ('interrupted' as const);
}

function callEntries(messageId: string, call: Fields): readonly EntryDraft[] {
  const callId = idAt(call, 'id') ?? '';
  const tool = textAt(call, 'name') ?? 'tool';
  const input = valueAt(call, 'args') ?? {};
  const own = (what: string): string => `${messageId}:${what}:${callId}`;
  const entries: EntryDraft[] = [
    { kind: 'tool_call', id: own('call'), call_id: callId, tool, input },
  ];
  if (questionTools.has(tool)) {
    entries.push(
      ...questionEntries(callId, input).map((each, at) => ({ ...each, id: own(`q${at}`) })),
    );
  }
  if (valueAt(call, 'result') === undefined && textAt(call, 'status') === undefined) return entries;
  const output = responseText(call);
  const status = statusOf(call, output);
  entries.push({ kind: 'tool_result', id: own('result'), call_id: callId, status, output });
  const diff = wholeText(call, 'resultDisplay.fileDiff') ?? editDiff(input);
  const path = textAt(call, 'resultDisplay.fileName', 'args.file_path', 'args.path');
  if (diff !== '' && path !== undefined) {
    entries.push({ kind: 'diff', id: own('diff'), call_id: callId, path, diff });
  }
  if (questionTools.has(tool)) {
    entries.push({ kind: 'answer', id: own('answer'), call_id: callId, text: output });
  }
  return entries;
}

function editDiff(input: unknown): string {
  if (!isFields(input)) return '';
  const before = wholeText(input, 'old_string');
  return before === undefined ? '' : diffOfEdit(before, wholeText(input, 'new_string') ?? '');
}

function gemini(fields: Fields, id: string): readonly EntryDraft[] {
  const text = textOfContent(fields);
  const thoughts = partsOf(fields, 'thoughts')
    .filter(isFields)
    .map((each) => [textAt(each, 'subject'), wholeText(each, 'description')].join(': '))
    .join('\n');
  const counts = fieldsAt(fields, 'tokens');
  return [
    ...(thoughts === ''
      ? []
      : [{ kind: 'thinking', id: `${id}:thinking`, text: thoughts } as const]),
    ...(text === '' ? [] : [{ kind: 'text', id: `${id}:text`, text } as const]),
    ...(counts === undefined ? [] : [usage(fields, counts, id)]),
    ...partsOf(fields, 'toolCalls')
      .filter(isFields)
      .flatMap((call) => callEntries(id, call)),
  ];
}

const usage = (fields: Fields, counts: Fields, id: string): EntryDraft => ({
  kind: 'usage',
  id: `${id}:usage`,
  model: textAt(fields, 'model') ?? null,
  input_tokens: tokensAt(counts, 'input'),
  output_tokens: tokensAt(counts, 'output') + tokensAt(counts, 'thoughts'),
  cache_read_tokens: tokensAt(counts, 'cached'),
  cache_write_tokens: 0,
});

/** The results of tools come with their calls. */
function user(fields: Fields): readonly EntryDraft[] {
  const parts = partsOf(fields, 'content');
  const isResult = parts.some((part) => isFields(part) && Object.hasOwn(part, 'functionResponse'));
  const text = textOfContent(fields);
  return isResult || text === '' ? [] : [{ kind: 'prompt', text }];
}

function notice(fields: Fields, type: string): readonly EntryDraft[] {
  const text = textOfContent(fields);
  if (type === 'info' && /^Request cancelled/.test(text)) return [{ kind: 'interruption', text }];
  if (text === '') return [];
  return type === 'error'
    ? [{ kind: 'error', code: null, text }]
    : [{ kind: 'unknown', type, text }];
}

/** A checkpoint of the whole history; the first one after a compression begins with its summary. */
function checkpoint(fields: Fields): readonly EntryDraft[] {
  const messages = partsOf(fields, '$set.messages').filter(isFields);
  const end = messages.findIndex((each) => textOfContent(each) === COMPRESSED);
  const summary = messages[end - 1];
  if (end < 1 || summary === undefined) return [];
  const text = textOfContent(summary);
  // Later checkpoints repeat it under other ids.
  const id = `compaction:${text.length}:${text.slice(0, 200)}`;
  return [{ kind: 'compaction', id, trigger: null, text }];
}

function entriesOf(fields: Fields, type: string | undefined): readonly EntryDraft[] {
  const id = idAt(fields, 'id') ?? '';
  if (type === undefined) return checkpoint(fields);
  if (type === 'gemini') return gemini(fields, id);
  const entries =
    type === 'user'
      ? user(fields)
      : /^(?:info|error|warning)$/.test(type)
        ? notice(fields, type)
        : [unknownEntry(type, fields)];
  return id === '' ? entries : entries.map((each, at) => ({ ...each, id: `${id}:${at}` }));
}

export const geminiConversation: ConversationParser = (fields): RecordDraft | null => {
  const type = textAt(fields, 'type');
  const atMs = timeAt(fields, 'timestamp') ?? null;
  const place = { atMs, turn: null, subagent: null };
  if (type === 'user' && atMs !== null && context.test(textOfContent(fields))) {
    return { ...place, entries: [], copiesUntilMs: atMs + COPIES_MS };
  }
  const entries = entriesOf(fields, type);
  return entries.length === 0 ? null : { ...place, entries };
};
