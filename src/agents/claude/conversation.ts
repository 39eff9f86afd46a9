// Lines of Claude Code's transcript as entries of a conversation. The model's message comes as one
// line for each of its blocks, each with the usage of the whole message.

import {
  type ConversationParser,
  diffOfEdit,
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
  countAt,
  type Fields,
  fieldsAt,
  flagAt,
  idAt,
  isFields,
  textAt,
  valueAt,
} from '../signals/fields.ts';

const interruption = /^\[Request interrupted by user/;
/** What Claude Code adds to the words of a person, and what commands leave. */
const ownWords = /^<(?:local-command-caveat|system-reminder)/;
const askTool = 'AskUserQuestion';
const subagentTools: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Lines that say nothing of the conversation. */
const bookkeeping: ReadonlySet<string> = new Set([
  ...['mode', 'permission-mode', 'last-prompt', 'tools-used', 'file-history-snapshot'],
  ...['file-history-delta', 'queue-operation', 'api-request', 'api-request-blob', 'agent-name'],
  ...['attachment', 'progress', 'summary', 'custom-title', 'ai-title', 'cost-state'],
  ...['atis-latch', 'api-request-shape'],
]);
const quietSystem: ReadonlySet<string> = new Set([
  ...['stop_hook_summary', 'away_summary'],
  // The summary follows, which is the compaction.
  'compact_boundary',
]);

const statusOf = (fields: Fields, block: Fields) => {
  if (valueAt(fields, 'toolDenialKind') !== undefined) return 'denied' as const;
  if (flagAt(fields, 'toolUseResult.interrupted')) return 'interrupted' as const;
  if (!flagAt(block, 'is_error')) return 'ok' as const;
  const text = textOfParts(valueAt(block, 'content'));
  return /doesn't want to (?:proceed|take)/.test(text) ? ('denied' as const) : ('error' as const);
};

function patchText(fields: Fields): string {
  return partsOf(fields, 'toolUseResult.structuredPatch')
    .filter(isFields)
    .map((hunk) => {
      const span = (side: string) =>
        `${countAt(hunk, `${side}Start`) ?? 0},${countAt(hunk, `${side}Lines`) ?? 0}`;
      const head = `@@ -${span('old')} +${span('new')} @@`;
      const lines = partsOf(hunk, 'lines').filter((line) => typeof line === 'string');
      return [head, ...lines].join('\n');
    })
    .join('\n');
}

function toolResult(fields: Fields, block: Fields): readonly EntryDraft[] {
  const callId = idAt(block, 'tool_use_id') ?? '';
  const output = textOfParts(valueAt(block, 'content'));
  const status = statusOf(fields, block);
  const entries: EntryDraft[] = [{ kind: 'tool_result', call_id: callId, status, output }];
  const path = textAt(fields, 'toolUseResult.filePath');
  const diff = patchText(fields);
  if (path !== undefined && diff !== '') {
    entries.push({ kind: 'diff', call_id: callId, path, diff });
  }
  const answers = fieldsAt(fields, 'toolUseResult.answers');
  if (answers !== undefined) {
    const text = Object.entries(answers)
      .map(([question, answer]) => `${question}: ${textOfValue(answer)}`)
      .join('\n');
    entries.push({ kind: 'answer', call_id: callId, text });
  }
  const agentId = idAt(fields, 'toolUseResult.agentId');
  if (agentId !== undefined) {
    const name = textAt(fields, 'toolUseResult.agentType') ?? 'subagent';
    const text = wholeText(fields, 'toolUseResult.prompt') ?? '';
    const conversation = /^[\w-]{1,80}$/.test(agentId) ? `claude:${agentId}` : null;
    entries.push({ kind: 'child', name, text, conversation });
  }
  return entries;
}

/** What a line of the user's side says, which is not always what a person typed. */
function wordsOf(fields: Fields, text: string): readonly EntryDraft[] {
  if (text === '') return [];
  if (interruption.test(text)) return [{ kind: 'interruption', text }];
  if (flagAt(fields, 'isCompactSummary')) return [{ kind: 'compaction', trigger: null, text }];
  if (flagAt(fields, 'isMeta') || ownWords.test(text)) {
    return [{ kind: 'unknown', type: 'own words', text }];
  }
  if (/^<local-command-std/.test(text)) return [{ kind: 'unknown', type: 'command output', text }];
  return [{ kind: 'prompt', text }];
}

function user(fields: Fields): readonly EntryDraft[] {
  const content = valueAt(fields, 'message.content');
  if (typeof content === 'string') return wordsOf(fields, content);
  const blocks = partsOf(fields, 'message.content').filter(isFields);
  return blocks.flatMap((block): readonly EntryDraft[] => {
    const type = idAt(block, 'type') ?? '';
    if (type === 'tool_result') return toolResult(fields, block);
    if (type === 'text') return wordsOf(fields, wholeText(block, 'text') ?? '');
    return [{ kind: 'prompt', text: `[${type}]` }];
  });
}

function toolUse(block: Fields): readonly EntryDraft[] {
  const callId = idAt(block, 'id') ?? '';
  const tool = textAt(block, 'name') ?? 'tool';
  const input = valueAt(block, 'input') ?? {};
  const call: EntryDraft = { kind: 'tool_call', call_id: callId, tool, input };
  if (tool === askTool) return [call, ...questionEntries(callId, input)];
  if (subagentTools.has(tool)) return [call];
  return [call, ...editDiff(callId, tool, input)];
}

/** What an edit asks for; the result has the lines around it. */
function editDiff(callId: string, tool: string, input: unknown): readonly EntryDraft[] {
  if (tool !== 'Edit' || !isFields(input)) return [];
  const path = textAt(input, 'file_path');
  const after = wholeText(input, 'new_string') ?? '';
  if (path === undefined) return [];
  const diff = diffOfEdit(wholeText(input, 'old_string') ?? '', after);
  return [{ kind: 'diff', call_id: callId, path, diff }];
}

function assistant(fields: Fields): readonly EntryDraft[] {
  const messageId = idAt(fields, 'message.id');
  if (flagAt(fields, 'isApiErrorMessage')) {
    const text = textOfParts(valueAt(fields, 'message.content'));
    return [{ kind: 'error', code: textAt(fields, 'error') ?? null, text }];
  }
  const entries = partsOf(fields, 'message.content')
    .filter(isFields)
    .flatMap((block): readonly EntryDraft[] => {
      const type = idAt(block, 'type') ?? '';
      const text = wholeText(block, 'text', 'thinking') ?? '';
      if (type === 'text') return text === '' ? [] : [{ kind: 'text', text }];
      if (type === 'thinking' || type === 'redacted_thinking') return [{ kind: 'thinking', text }];
      if (type === 'tool_use' || type === 'server_tool_use') return toolUse(block);
      return [unknownEntry(type, block)];
    });
  const usage = messageId === undefined ? undefined : fieldsAt(fields, 'message.usage');
  if (usage === undefined) return entries;
  const read = tokensAt(usage, 'cache_read_input_tokens');
  const written = tokensAt(usage, 'cache_creation_input_tokens');
  return [
    ...entries,
    {
      kind: 'usage',
      id: `${messageId}:usage`,
      model: textAt(fields, 'message.model') ?? null,
      input_tokens: tokensAt(usage, 'input_tokens') + read + written,
      output_tokens: tokensAt(usage, 'output_tokens'),
      cache_read_tokens: read,
      cache_write_tokens: written,
    },
  ];
}

function system(fields: Fields): readonly EntryDraft[] {
  const subtype = textAt(fields, 'subtype') ?? '';
  if (subtype === 'turn_duration') {
    const durationMs = tokensAt(fields, 'durationMs');
    return [{ kind: 'turn', phase: 'ended', duration_ms: durationMs }];
  }
  if (quietSystem.has(subtype)) return [];
  return [unknownEntry(`system ${subtype}`, fields)];
}

function entriesOf(type: string, fields: Fields): readonly EntryDraft[] | null {
  if (type === 'user') return user(fields);
  if (type === 'assistant') return assistant(fields);
  if (type === 'system') return system(fields);
  return bookkeeping.has(type) ? null : [unknownEntry(type, fields)];
}

export const claudeConversation: ConversationParser = (fields) => {
  const entries = entriesOf(textAt(fields, 'type') ?? '', fields);
  if (entries === null || entries.length === 0) return null;
  const uuid = idAt(fields, 'uuid');
  return {
    atMs: timeAt(fields, 'timestamp') ?? null,
    turn: idAt(fields, 'promptId') ?? null,
    subagent: flagAt(fields, 'isSidechain') ? (idAt(fields, 'agentId') ?? 'subagent') : null,
    // Ids of calls are the model's, and some models use theirs again.
    entries: entries.map((each, index) =>
      each.kind === 'usage' || uuid === undefined ? each : { ...each, id: `${uuid}:${index}` },
    ),
  };
};
