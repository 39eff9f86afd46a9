// Events of Copilot CLI's `events.jsonl` as entries of a conversation. A call of a tool is written
// three times: in the message of the model, when it starts and when it is complete; the start is
// the call here. Events of subagents carry `agentId`.

import {
  type ConversationParser,
  type EntryDraft,
  questionEntries,
  textOfParts,
  textOfValue,
  tokensAt,
  unknownEntry,
  wholeText,
} from '../conversation/entry-draft.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, fieldsAt, flagAt, idAt, textAt, valueAt } from '../signals/fields.ts';
import { isQuestionTool } from '../signals/request.ts';

/** No part of the conversation, or said by another event too. */
const bookkeeping: ReadonlySet<string> = new Set([
  ...['hook.start', 'hook.end', 'permission.requested', 'session.start', 'session.resume'],
  ...['session.shutdown', 'session.idle', 'session.title_changed', 'session.context_changed'],
  ...['session.mode_changed', 'session.model_change', 'session.task_complete', 'session.info'],
  ...['session.compaction_start', 'system.message', 'system.notification', 'session.truncation'],
  ...['session.usage_info', 'assistant.intent', 'assistant.usage', 'session.usage_checkpoint'],
  ...['tool.execution_partial_result', 'tool.execution_progress', 'tool.user_requested'],
  ...['session.tools_updated', 'session.skills_loaded', 'session.permissions_changed'],
  'user.message_queued',
]);

function prompt(data: Fields): readonly EntryDraft[] {
  const text = wholeText(data, 'content') ?? '';
  // What the agent says to itself, such as a reminder, has a source.
  const source = textAt(data, 'source');
  const isOwn = source !== undefined && source !== 'user';
  return [isOwn ? { kind: 'unknown', type: `user ${source}`, text } : { kind: 'prompt', text }];
}

function message(data: Fields): readonly EntryDraft[] {
  const thoughts = wholeText(data, 'reasoningText', 'reasoning');
  const text = wholeText(data, 'content');
  return [
    ...(thoughts === undefined ? [] : [{ kind: 'thinking', text: thoughts } as const]),
    ...(text === undefined ? [] : [{ kind: 'text', text } as const]),
  ];
}

function call(data: Fields): readonly EntryDraft[] {
  const callId = idAt(data, 'toolCallId') ?? '';
  const tool = textAt(data, 'toolName') ?? 'tool';
  const input = valueAt(data, 'arguments') ?? {};
  const entry: EntryDraft = { kind: 'tool_call', call_id: callId, tool, input };
  return isQuestionTool(tool) ? [entry, ...questionEntries(callId, input)] : [entry];
}

function result(data: Fields): readonly EntryDraft[] {
  const callId = idAt(data, 'toolCallId') ?? '';
  const shown = valueAt(data, 'result.content') ?? valueAt(data, 'result.textResultForLlm');
  const failure = wholeText(data, 'error.message');
  const output = textOfParts(shown) || failure || textOfValue(valueAt(data, 'result'));
  const code = textAt(data, 'error.code') ?? '';
  const isDenied =
    /denied|rejected/.test(code) || /^(?:denied|rejected)$/.test(textAt(data, 'resultType') ?? '');
  const status = flagAt(data, 'success') ? 'ok' : isDenied ? 'denied' : 'error';
  const entries: EntryDraft[] = [{ kind: 'tool_result', call_id: callId, status, output }];
  const diff = wholeText(data, 'result.detailedContent') ?? '';
  const path = /^diff --git a\/(?:.*) b\/(.*)$/m.exec(diff.slice(0, 4_000))?.[1];
  if (path !== undefined) entries.push({ kind: 'diff', call_id: callId, path, diff });
  const answer = textAt(data, 'toolTelemetry.properties.elicitation_action');
  if (answer !== undefined) {
    entries.push({ kind: 'answer', call_id: callId, text: output === '' ? answer : output });
  }
  return entries;
}

/** A refusal is told again with the end of the call; a dialog that was left has no such end. */
function permission(data: Fields): readonly EntryDraft[] | null {
  const kind = textAt(data, 'result.kind') ?? '';
  if (kind !== 'cancelled') return null;
  const callId = idAt(data, 'toolCallId') ?? '';
  const output = wholeText(data, 'result.reason', 'result.feedback') ?? kind;
  return [{ kind: 'tool_result', call_id: callId, status: 'interrupted', output }];
}

function usage(data: Fields): readonly EntryDraft[] {
  const counts = fieldsAt(data, 'usage') ?? {};
  return [
    {
      kind: 'usage',
      model: textAt(counts, 'model') ?? null,
      input_tokens: tokensAt(counts, 'inputTokens'),
      output_tokens: tokensAt(counts, 'outputTokens'),
      cache_read_tokens: tokensAt(counts, 'cacheReadTokens'),
      cache_write_tokens: tokensAt(counts, 'cacheWriteTokens'),
    },
  ];
}

const turn = (phase: 'began' | 'ended') => (): readonly EntryDraft[] => [
  { kind: 'turn', phase, duration_ms: null },
];

const rows: Readonly<Record<string, (data: Fields) => readonly EntryDraft[] | null>> = {
  'user.message': prompt,
  'assistant.message': message,
  'assistant.turn_start': turn('began'),
  'assistant.turn_end': turn('ended'),
  'tool.execution_start': call,
  'tool.execution_complete': result,
  'permission.completed': permission,
  'session.usage_record': usage,
  'assistant.reasoning': (data) => [
    { kind: 'thinking', text: wholeText(data, 'content', 'reasoningText') ?? '' },
  ],
  abort: (data) => [{ kind: 'interruption', text: textAt(data, 'reason') ?? '' }],
  'session.error': (data) => [
    {
      kind: 'error',
      code: textAt(data, 'errorType') ?? null,
      text: wholeText(data, 'message') ?? '',
    },
  ],
  'session.compaction_complete': (data) => [
    {
      kind: 'compaction',
      trigger: textAt(data, 'trigger') ?? null,
      text: wholeText(data, 'summaryContent', 'summary') ?? '',
    },
  ],
  'subagent.started': (data) => [
    {
      kind: 'child',
      name: textAt(data, 'agentDisplayName', 'agentName') ?? 'subagent',
      text: wholeText(data, 'agentDescription') ?? '',
      conversation: null,
    },
  ],
  'subagent.completed': () => null,
  'subagent.failed': (data) => [
    { kind: 'error', code: 'subagent', text: wholeText(data, 'error') ?? '' },
  ],
};

export const copilotConversation: ConversationParser = (fields) => {
  const type = textAt(fields, 'type') ?? '';
  if (bookkeeping.has(type) || type.startsWith('model.')) return null;
  const data = fieldsAt(fields, 'data') ?? {};
  const row = Object.hasOwn(rows, type) ? rows[type] : undefined;
  const entries = row ? row(data) : [unknownEntry(type, data)];
  if (entries === null) return null;
  const id = idAt(fields, 'id');
  return {
    atMs: timeAt(fields, 'timestamp') ?? null,
    turn: idAt(data, 'interactionId', 'turnId') ?? null,
    subagent: idAt(fields, 'agentId') ?? null,
    entries: entries.map((each, index) =>
      id === undefined ? each : { ...each, id: `${id}:${index}` },
    ),
  };
};
