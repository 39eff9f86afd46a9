// Lines of Codex's rollout as entries of a conversation. Most things are written twice: as the item
// that the model gets (response_item) and as the event that the screen shows (event_msg). Prompts
// are taken from the events, because the model's items hold instructions that nobody typed; all
// else is taken from the items. No line is written again, and ids of a model's items are not used:
// some servers of models give every item the same.

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
import {
  type Fields,
  fieldsAt,
  idAt,
  isFields,
  readFields,
  textAt,
  valueAt,
} from '../signals/fields.ts';

const QUESTION_TOOL = 'request_user_input';

/** Said elsewhere too, or no part of the conversation. */
const bookkeeping: ReadonlySet<string> = new Set([
  ...['session_meta', 'turn_context', 'world_state', 'inter_agent_communication_metadata'],
  ...['event_msg:token_count', 'event_msg:agent_message', 'event_msg:agent_reasoning'],
  ...['event_msg:agent_reasoning_section_break', 'event_msg:thread_name_updated'],
  ...['event_msg:agent_reasoning_raw_content', 'event_msg:thread_settings_applied'],
  ...['event_msg:exec_command_end', 'event_msg:patch_apply_end', 'event_msg:context_compacted'],
  ...['event_msg:mcp_tool_call_end', 'event_msg:web_search_end', 'event_msg:thread_rolled_back'],
  ...['response_item:ghost_snapshot', 'retained_context'],
]);

function statusOf(output: string) {
  if (/aborted by user\s*$/.test(output)) return 'interrupted' as const;
  if (/rejected by user|denied by user|user (?:rejected|denied)/i.test(output.slice(0, 400))) {
    return 'denied' as const;
  }
  const code = /^(?:Process exited with code|Exit code:?) (-?\d+)/m.exec(output)?.[1];
  const isFailure = code !== undefined && code !== '0';
  return isFailure || /^(?:exec_command failed|apply_patch verification failed)/.test(output)
    ? ('error' as const)
    : ('ok' as const);
}

function outputText(value: unknown): string {
  if (typeof value !== 'string') return isFields(value) ? textOfValue(value) : textOfParts(value);
  const inner = value.startsWith('{"output"') ? readFields(value) : 'plain';
  return typeof inner === 'string' ? value : (wholeText(inner, 'output') ?? value);
}

function call(payload: Fields): readonly EntryDraft[] {
  const callId = idAt(payload, 'call_id', 'id') ?? '';
  const tool = textAt(payload, 'name') ?? idAt(payload, 'type') ?? 'tool';
  const raw =
    valueAt(payload, 'arguments') ?? valueAt(payload, 'input') ?? valueAt(payload, 'action');
  const read = typeof raw === 'string' && raw.startsWith('{') ? readFields(raw) : 'plain';
  const input = typeof read === 'string' ? (raw ?? {}) : read;
  const entries: EntryDraft[] = [{ kind: 'tool_call', call_id: callId, tool, input }];
  if (tool === QUESTION_TOOL) entries.push(...questionEntries(callId, input));
  return entries;
}

function result(payload: Fields): readonly EntryDraft[] {
  const callId = idAt(payload, 'call_id') ?? '';
  const output = outputText(valueAt(payload, 'output'));
  const status = statusOf(output);
  const entries: EntryDraft[] = [{ kind: 'tool_result', call_id: callId, status, output }];
  if (output.startsWith('{"answers"')) {
    entries.push({ kind: 'answer', call_id: callId, text: output });
  }
  return entries;
}

function message(payload: Fields): readonly EntryDraft[] | null {
  // What the person typed has an event of its own.
  if (idAt(payload, 'role') !== 'assistant') return null;
  const text = textOfParts(valueAt(payload, 'content'));
  return text === '' ? null : [{ kind: 'text', text }];
}

function fileChanges(item: Fields): readonly EntryDraft[] {
  const callId = idAt(item, 'id') ?? null;
  const changes = fieldsAt(item, 'changes') ?? {};
  return Object.entries(changes)
    .slice(0, 200)
    .map(([path, change]): EntryDraft => {
      const fields = isFields(change) ? change : {};
      const diff =
        wholeText(fields, 'unified_diff', 'diff', 'update.unified_diff', 'content') ?? '';
      const isWhole = wholeText(fields, 'content') !== undefined && !diff.startsWith('@@');
      const mark = idAt(fields, 'type') === 'delete' ? '-' : '+';
      const lines = diff.replace(/\n$/, '').split('\n');
      const shown = isWhole ? lines.map((line) => mark + line).join('\n') : diff;
      return { kind: 'diff', call_id: callId, path, diff: shown };
    });
}

function item(fields: Fields): readonly EntryDraft[] | null {
  const completed = fieldsAt(fields, 'payload.item') ?? {};
  const type = idAt(completed, 'type');
  if (type === 'UserMessage') {
    const id = idAt(completed, 'id');
    const text = textOfParts(valueAt(completed, 'content'));
    return [{ kind: 'prompt', ...(id === undefined ? {} : { id }), text }];
  }
  if (type === 'FileChange') return fileChanges(completed);
  if (type === 'ContextCompaction') return null;
  return null;
}

function usage(payload: Fields): readonly EntryDraft[] {
  const counts = fieldsAt(payload, 'usage') ?? {};
  return [
    {
      kind: 'usage',
      model: textAt(payload, 'model') ?? null,
      input_tokens: tokensAt(counts, 'input_tokens'),
      output_tokens: tokensAt(counts, 'output_tokens'),
      cache_read_tokens: tokensAt(counts, 'cached_input_tokens'),
      cache_write_tokens: tokensAt(counts, 'cache_write_input_tokens'),
    },
  ];
}

function taskComplete(payload: Fields): readonly EntryDraft[] {
  const error = fieldsAt(payload, 'error');
  const durationMs = tokensAt(payload, 'duration_ms');
  const end: EntryDraft = { kind: 'turn', phase: 'ended', duration_ms: durationMs };
  if (error === undefined) return [end];
  const code = textAt(error, 'codex_error_info', 'code', 'type') ?? null;
  return [{ kind: 'error', code, text: wholeText(error, 'message') ?? '' }, end];
}

function reasoning(payload: Fields): readonly EntryDraft[] {
  const text = textOfParts(partsOf(payload, 'summary'));
  return [{ kind: 'thinking', text }];
}

type Row = (payload: Fields, fields: Fields) => readonly EntryDraft[] | null;

const rows: Readonly<Record<string, Row>> = {
  'event_msg:user_message': (payload) => [
    { kind: 'prompt', text: wholeText(payload, 'message') ?? '' },
  ],
  'event_msg:item_completed': (_payload, fields) => item(fields),
  'event_msg:task_started': () => [{ kind: 'turn', phase: 'began', duration_ms: null }],
  'event_msg:task_complete': taskComplete,
  'event_msg:turn_aborted': (payload) => [
    { kind: 'interruption', text: textAt(payload, 'reason') ?? 'interrupted' },
  ],
  'event_msg:error': (payload) => [
    { kind: 'error', code: null, text: wholeText(payload, 'message') ?? '' },
  ],
  'response_item:message': message,
  'response_item:reasoning': reasoning,
  'response_item:function_call': call,
  'response_item:custom_tool_call': call,
  'response_item:local_shell_call': call,
  'response_item:web_search_call': call,
  'response_item:function_call_output': result,
  'response_item:custom_tool_call_output': result,
  token_usage_record: usage,
  compacted: (payload) => [
    { kind: 'compaction', trigger: null, text: wholeText(payload, 'message') ?? '' },
  ],
};

export const codexConversation: ConversationParser = (fields) => {
  const type = textAt(fields, 'type') ?? '';
  const payload = fieldsAt(fields, 'payload') ?? {};
  const isGroup = type === 'event_msg' || type === 'response_item';
  const name = isGroup ? `${type}:${textAt(payload, 'type') ?? ''}` : type;
  if (bookkeeping.has(name)) return null;
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  const entries = row ? row(payload, fields) : [unknownEntry(name, payload)];
  if (entries === null) return null;
  return {
    atMs: timeAt(fields, 'timestamp') ?? null,
    turn: idAt(payload, 'turn_id', 'internal_chat_message_metadata_passthrough.turn_id') ?? null,
    subagent: null,
    entries,
  };
};
