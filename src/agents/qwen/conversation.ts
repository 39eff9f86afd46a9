// Lines of Qwen Code's `chats/<session>.jsonl` as entries of a conversation. Esc leaves no line of
// its own: the answer that it cut off stands there as far as it came, without what counts its
// tokens, and without the record of a response or of an error that comes before every other answer.

import {
  type ConversationParser,
  type EntryDraft,
  partsOf,
  questionEntries,
  textOfParts,
  textOfValue,
  tokensAt,
  unknownEntry,
  wholeText,
} from '../conversation/entry-draft.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, fieldsAt, idAt, isFields, textAt, valueAt } from '../signals/fields.ts';

const questionTools: ReadonlySet<string> = new Set(['ask_user_question', 'ask_user']);
const quietSystem: ReadonlySet<string> = new Set([
  ...['attribution_snapshot', 'file_history_snapshot', 'ui_telemetry', 'slash_command'],
  ...['notification', 'session_title', 'custom_title'],
]);

const partsIn = (fields: Fields): readonly Fields[] =>
  partsOf(fields, 'message.parts').filter(isFields);

function user(fields: Fields): readonly EntryDraft[] {
  const provenance = textAt(fields, 'provenance') ?? 'real_user';
  return partsIn(fields).flatMap((part): readonly EntryDraft[] => {
    const text = wholeText(part, 'text');
    if (text === undefined) return [];
    return provenance === 'real_user'
      ? [{ kind: 'prompt', text }]
      : [{ kind: 'unknown', type: provenance, text }];
  });
}

const responseEvent = /^qwen-code\.api_(?:response|error)$/;

/** A model server that counts no tokens leaves the record of its response all the same. */
function isCutOff(fields: Fields, before: Fields | null): boolean {
  if (fieldsAt(fields, 'usageMetadata') !== undefined || before === null) return false;
  const event = fieldsAt(before, 'systemPayload.uiEvent')?.['event.name'];
  return !(typeof event === 'string' && responseEvent.test(event));
}

function assistant(fields: Fields): readonly EntryDraft[] {
  const entries = partsIn(fields).flatMap((part): readonly EntryDraft[] => {
    const call = fieldsAt(part, 'functionCall');
    if (call !== undefined) return callEntries(call);
    const text = wholeText(part, 'text');
    if (text === undefined) return [];
    return [{ kind: valueAt(part, 'thought') === true ? 'thinking' : 'text', text }];
  });
  const counts = fieldsAt(fields, 'usageMetadata');
  if (counts === undefined) return entries;
  return [
    ...entries,
    {
      kind: 'usage',
      model: textAt(fields, 'model') ?? null,
      input_tokens: tokensAt(counts, 'promptTokenCount'),
      output_tokens: tokensAt(counts, 'candidatesTokenCount'),
      cache_read_tokens: tokensAt(counts, 'cachedContentTokenCount'),
      cache_write_tokens: 0,
    },
  ];
}

function callEntries(call: Fields): readonly EntryDraft[] {
  const callId = idAt(call, 'id') ?? '';
  const tool = textAt(call, 'name') ?? 'tool';
  const input = valueAt(call, 'args') ?? {};
  const entry: EntryDraft = { kind: 'tool_call', call_id: callId, tool, input };
  return questionTools.has(tool) ? [entry, ...questionEntries(callId, input)] : [entry];
}

function toolResult(fields: Fields): readonly EntryDraft[] {
  return partsIn(fields).flatMap((part): readonly EntryDraft[] => {
    const reply = fieldsAt(part, 'functionResponse');
    return reply === undefined ? [] : [...replyEntries(reply), ...diffEntries(fields, reply)];
  });
}

function replyEntries(reply: Fields): readonly EntryDraft[] {
  const callId = idAt(reply, 'id') ?? '';
  const failure = wholeText(reply, 'response.error');
  const given = wholeText(reply, 'response.output') ?? textOfValue(valueAt(reply, 'response'));
  const output = failure ?? given;
  const isDenied = /did not allow|denied|rejected/i.test(failure ?? '');
  const status = failure === undefined ? 'ok' : isDenied ? 'denied' : 'error';
  const result: EntryDraft = { kind: 'tool_result', call_id: callId, status, output };
  if (!questionTools.has(textAt(reply, 'name') ?? '')) return [result];
  return [result, { kind: 'answer', call_id: callId, text: output }];
}

function diffEntries(fields: Fields, reply: Fields): readonly EntryDraft[] {
  const callId = idAt(reply, 'id') ?? null;
  const path = textAt(fields, 'toolCallResult.resultDisplay.fileName');
  const diff = wholeText(fields, 'toolCallResult.resultDisplay.fileDiff');
  if (path === undefined || diff === undefined) return [];
  return [{ kind: 'diff', call_id: callId, path, diff }];
}

function system(fields: Fields): readonly EntryDraft[] {
  const subtype = textAt(fields, 'subtype') ?? '';
  if (quietSystem.has(subtype)) return [];
  if (subtype !== 'chat_compression') return [unknownEntry(`system ${subtype}`, fields)];
  const trigger = textAt(fields, 'systemPayload.info.triggerReason') ?? null;
  const [summary] = partsOf(fields, 'systemPayload.compressedHistory').filter(isFields);
  const text = summary === undefined ? '' : textOfParts(valueAt(summary, 'parts'));
  return [{ kind: 'compaction', trigger, text }];
}

function entriesOf(fields: Fields, before: () => Fields | null): readonly EntryDraft[] {
  const type = textAt(fields, 'type') ?? '';
  if (type === 'user') return user(fields);
  if (type === 'assistant') {
    const entries = assistant(fields);
    const text = 'the answer was cut off';
    return isCutOff(fields, before()) ? [...entries, { kind: 'interruption', text }] : entries;
  }
  if (type === 'tool_result') return toolResult(fields);
  if (type === 'system') return system(fields);
  return [unknownEntry(type, fields)];
}

export const qwenConversation: ConversationParser = (fields, before) => {
  const entries = entriesOf(fields, before);
  if (entries.length === 0) return null;
  const uuid = idAt(fields, 'uuid');
  return {
    atMs: timeAt(fields, 'timestamp') ?? null,
    turn: null,
    subagent: idAt(fields, 'agentId') ?? null,
    entries: entries.map((each, at) =>
      uuid === undefined ? each : { ...each, id: `${uuid}:${at}` },
    ),
  };
};
