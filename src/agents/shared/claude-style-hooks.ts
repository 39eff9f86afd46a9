// Hook payloads that Claude Code defined and Qwen Code and Codex copied: the event's name
// in `hook_event_name`, the session in `session_id`, tools in `tool_name` and `tool_input`. What
// differs between the three is in their own folders. Holes, measured: no event when the person
// presses Esc or approves a dialog, and none for retries.

import type { ActivityPatch } from '../../schema/evidence.ts';
import { rest, work } from '../signals/coverage.ts';
import { bindByPane, type Envelope } from '../signals/envelope.ts';
import { dedupeKeyOf, type EventMeaning, type EventRows } from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import { entriesAt, type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import {
  claim,
  reportActivity,
  type SignalContent,
  type SignalFacts,
  sessionEnded,
} from '../signals/signal-content.ts';
import { contextUsage, describeMessage, describePrompt, noTool } from '../signals/tool-activity.ts';
import {
  promptSubmitted,
  toolDialog,
  toolFinished,
  toolStarted,
  turnCompleted,
} from '../signals/turn.ts';

const SUBAGENTS_MAX = 64;

export const claudeStyleName = ({ event, fields }: Envelope): string | undefined =>
  textAt(fields, 'hook_event_name') ?? event ?? undefined;

export function claudeStyleFacts(envelope: Envelope, name: string): SignalFacts {
  const { fields } = envelope;
  const sessionKey = idAt(fields, 'session_id');
  // A tool call happens once; other events of one turn may come twice, so they have no key here.
  const call = idAt(fields, 'tool_use_id') ?? timeAt(fields, 'timestamp');
  return {
    sessionKey,
    eventTimeMs: timeAt(fields, 'timestamp'),
    dedupeKey: dedupeKeyOf(name, sessionKey, call),
    bind: bindByPane(envelope),
  };
}

export const toolOf = (fields: Fields): string | undefined => textAt(fields, 'tool_name');
export const inputOf = (fields: Fields): unknown => valueAt(fields, 'tool_input');

/** The end of a turn; a subagent that goes on in the background keeps the agent at work. */
function stop(fields: Fields): EventMeaning {
  const tasks = backgroundTasks(fields);
  const message = describeMessage(fields, 'last_assistant_message');
  const activity = { ...noTool, ...tasks, ...message };
  if (tasks.subagents === undefined || tasks.subagents.length === 0) {
    return turnCompleted({ ...activity, ...contextUsage(fields, 'input_tokens', 'context_limit') });
  }
  return { ...claim('running', { covers: work, reason: 'background_work' }), activity };
}

/** Shells in the background are counted; subagents are listed. */
export function backgroundTasks(fields: Fields, exceptId?: string): ActivityPatch {
  if (!Array.isArray(valueAt(fields, 'background_tasks'))) return {};
  const running = entriesAt(fields, 'background_tasks').filter(
    (task) => (textAt(task, 'status') ?? 'running') === 'running' && idAt(task, 'id') !== exceptId,
  );
  const subagents = running.filter((task) => textAt(task, 'type') === 'subagent');
  return {
    backgroundCount: running.length - subagents.length,
    subagents: subagents.slice(0, SUBAGENTS_MAX).map((task) => {
      const kind = textAt(task, 'agent_type');
      return { id: idAt(task, 'id') ?? 'subagent', ...(kind === undefined ? {} : { kind }) };
    }),
  };
}

function stopFailure(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const code = textAt(fields, 'error', 'error.type', 'error.code');
  const message = textAt(fields, 'error_details', 'last_assistant_message', 'error.message');
  return { claims: [failureClaim({ code, message }, nowMs)], activity: noTool };
}

/** Claims no state: /compact sends it twice with no start, and Stop reports the end of a turn. */
function subagentStop(fields: Fields): EventMeaning {
  return reportActivity(backgroundTasks(fields, idAt(fields, 'agent_id')));
}

/** A subagent works beside the main turn: its tools report activity and claim no state. */
const ofMain =
  (row: (fields: Fields) => SignalContent) =>
  (fields: Fields): EventMeaning => {
    const content = row(fields);
    return idAt(fields, 'agent_id') === undefined
      ? content
      : reportActivity(content.activity ?? {});
  };

/** A new session or a cleared one. A compacted one goes on where it was. */
function sessionStart(fields: Fields): EventMeaning {
  return textAt(fields, 'source') === 'compact' ? {} : claim('began');
}

function notification(fields: Fields): EventMeaning {
  const type = textAt(fields, 'notification_type');
  // Comes after completed, interrupted and failed turns alike.
  if (type === 'idle_prompt') return claim('at_rest', { covers: rest });
  if (type === 'permission_prompt') {
    return 'PermissionRequest reports it, with the kind of dialog';
  }
  return `notification ${type ?? 'of no type'} says nothing of the state`;
}

export const claudeStyleRows = {
  SessionStart: sessionStart,
  UserPromptSubmit: (fields) => promptSubmitted(describePrompt(fields, 'prompt')),
  PreToolUse: ofMain((fields) => toolStarted(toolOf(fields), inputOf(fields))),
  PermissionRequest: (fields) => toolDialog(toolOf(fields), inputOf(fields)),
  PostToolUse: ofMain(() => toolFinished),
  PostToolUseFailure: ofMain(() => toolFinished),
  PostToolBatch: ofMain(() => toolFinished),
  Notification: notification,
  Stop: stop,
  StopFailure: stopFailure,
  SubagentStart: ofMain(() => claim('running', { covers: work })),
  SubagentStop: subagentStop,
  PreCompact: claim('running', { covers: work }),
  SessionEnd: (fields) => (textAt(fields, 'reason') === 'clear' ? {} : sessionEnded),
} as const satisfies EventRows;
