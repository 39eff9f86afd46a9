// Lines of Codex's rollout, `~/.codex/sessions/Y/M/D/rollout-*-<thread>.jsonl`. They record how
// each turn ended, interruption and failure included. Approvals are not recorded: a line ends no
// dialog unless the turn is over.

import type { Normaliser } from '../adapter.ts';
import { work } from '../signals/coverage.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import {
  countAt,
  entriesAt,
  type Fields,
  fieldsAt,
  idAt,
  numberAt,
  readFields,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { claim, reportActivity } from '../signals/signal-content.ts';
import {
  contextUsage,
  describeMessage,
  describePrompt,
  describeTool,
  noTool,
} from '../signals/tool-activity.ts';
import { toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const BOOKKEEPING = 'bookkeeping of the thread';
/** More lines than a thread writes within one millisecond. */
const LINES_PER_MS = 512;

function taskComplete(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const error = fieldsAt(fields, 'payload.error');
  if (error === undefined) {
    return turnCompleted(describeMessage(fields, 'payload.last_agent_message'));
  }
  const failure = {
    code: textAt(error, 'codex_error_info', 'code', 'type'),
    message: textAt(error, 'message'),
    resetsAt: valueAt(error, 'resets_at'),
    resetsInSeconds: numberAt(error, 'resets_in_seconds'),
  };
  return { claims: [failureClaim(failure, nowMs)], activity: noTool };
}

function turnAborted(fields: Fields): EventMeaning {
  const reason = textAt(fields, 'payload.reason');
  if (reason !== 'interrupted') return `a turn that was aborted: ${reason ?? 'no reason'}`;
  return turnInterrupted;
}

function itemCompleted(fields: Fields): EventMeaning {
  const item = fieldsAt(fields, 'payload.item') ?? {};
  const type = textAt(item, 'type');
  const [first = {}] = entriesAt(item, 'content');
  if (type === 'UserMessage') return reportActivity(describePrompt(first, 'text'));
  if (type === 'AgentMessage') return reportActivity(describeMessage(first, 'text'));
  return 'task_complete ends the turn';
}

function tokenCount(fields: Fields): EventMeaning {
  const { usage } = contextUsage(
    fields,
    'payload.info.last_token_usage.total_tokens',
    'payload.info.model_context_window',
  );
  const tokens = countAt(fields, 'payload.info.total_token_usage.total_tokens');
  if (usage === undefined || tokens === undefined) return 'no counts';
  return reportActivity({ usage: { ...usage, tokens } });
}

function functionCall(fields: Fields): EventMeaning {
  const input = readFields(valueAt(fields, 'payload.arguments'));
  const activity = describeTool(textAt(fields, 'payload.name'), input);
  return { ...claim('running', { covers: work }), activity };
}

const rows: EventRows = {
  // The first line of a thread. Work and dialogs have ends of their own in other lines.
  session_meta: claim('began', { covers: ['error', 'idle'] }),
  'event_msg:task_started': claim('running', { covers: work }),
  'event_msg:task_complete': taskComplete,
  'event_msg:turn_aborted': turnAborted,
  'event_msg:item_completed': itemCompleted,
  'event_msg:token_count': tokenCount,
  'response_item:function_call': functionCall,
  'response_item:custom_tool_call': functionCall,
  'response_item:function_call_output': toolFinished,
  'response_item:custom_tool_call_output': toolFinished,
  'response_item:message': BOOKKEEPING,
  'response_item:reasoning': BOOKKEEPING,
  token_usage_record: BOOKKEEPING,
  turn_context: BOOKKEEPING,
  world_state: BOOKKEEPING,
  compacted: BOOKKEEPING,
};

function nameOf(fields: Fields): string | undefined {
  const type = textAt(fields, 'type');
  if (type !== 'event_msg' && type !== 'response_item') return type;
  return `${type}:${textAt(fields, 'payload.type') ?? ''}`;
}

export const codexRollout: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => nameOf(fields),
  rows,
  factsOf: ({ fields }) => {
    const eventTimeMs = timeAt(fields, 'timestamp');
    const ordinal = numberAt(fields, 'ordinal');
    const isPlace = ordinal !== undefined && Number.isSafeInteger(ordinal) && ordinal >= 0;
    return {
      sessionKey: idAt(fields, 'payload.session_id', 'payload.thread_id'),
      eventTimeMs,
      // Ordinals begin anew with each thread, and lines share milliseconds: both make the order.
      ...(isPlace && eventTimeMs !== undefined
        ? { sourceSeq: Math.trunc(eventTimeMs) * LINES_PER_MS + (ordinal % LINES_PER_MS) }
        : {}),
    };
  },
});
