// Cline's hook files (3.0). The program runs them itself, or one daemon does for all sessions with
// the environment of the first client: they bind by process or session, never by pane. Holes:
// approvals and questions fire nothing, and PreToolUse comes before the dialog. An interrupted turn
// fires SessionShutdown.

import type { Normaliser } from '../adapter.ts';
import { bindByProcess, type Envelope } from '../signals/envelope.ts';
import {
  dedupeKeyOf,
  type EventMeaning,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import { type Fields, fieldsAt, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claim, reportActivity } from '../signals/signal-content.ts';
import { describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

/** The payload's own words for the files in ~/.cline/hooks. */
const namesInPayload: Readonly<Record<string, string>> = {
  agent_start: 'TaskStart',
  agent_resume: 'TaskResume',
  prompt_submit: 'UserPromptSubmit',
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  agent_end: 'TaskComplete',
  agent_abort: 'TaskCancel',
  agent_error: 'TaskError',
  session_shutdown: 'SessionShutdown',
};

function nameOf({ event, fields }: Envelope): string | undefined {
  const hookName = textAt(fields, 'hookName');
  if (hookName === undefined) return event ?? undefined;
  return Object.hasOwn(namesInPayload, hookName) ? namesInPayload[hookName] : (event ?? hookName);
}

/** A subagent's events have the same names; the turn is the main agent's. */
const ofMain =
  (row: (fields: Fields, context: { nowMs: number }) => EventMeaning) =>
  (fields: Fields, context: { nowMs: number }): EventMeaning =>
    idAt(fields, 'parent_agent_id') === undefined ? row(fields, context) : 'a subagent of the turn';

function taskError(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const code = textAt(fields, 'error.code', 'error.name');
  const message = textAt(fields, 'error.message');
  return { claims: [failureClaim({ code, message }, nowMs)], activity: noTool };
}

function taskComplete(fields: Fields): EventMeaning {
  const status = textAt(fields, 'turn.status') ?? 'completed';
  return status === 'completed' ? turnCompleted() : claim('at_rest');
}

const began = ofMain((fields) =>
  promptSubmitted(describePrompt(fields, 'userPromptSubmit.prompt', 'taskStart.task')),
);

const rows: EventRows = {
  TaskStart: began,
  TaskResume: began,
  UserPromptSubmit: began,
  PreToolUse: (fields) => {
    const call = fieldsAt(fields, 'tool_call') ?? {};
    const tool = textAt(call, 'name') ?? textAt(fields, 'preToolUse.toolName');
    return reportActivity(describeTool(tool, valueAt(call, 'input')));
  },
  PostToolUse: ofMain(() => toolFinished),
  TaskComplete: ofMain(taskComplete),
  TaskError: ofMain(taskError),
  TaskCancel: ofMain(() => turnInterrupted),
  SessionShutdown: ofMain(() => turnInterrupted),
  PreCompact: 'a compaction within the turn',
};

export const clineHooks: Normaliser = tableNormaliser({
  nameOf,
  rows,
  factsOf: (envelope, name) => {
    const { fields } = envelope;
    const sessionKey = idAt(fields, 'sessionContext.rootSessionId', 'taskId');
    const eventTimeMs = timeAt(fields, 'timestamp');
    const dedupeKey = dedupeKeyOf(name, idAt(fields, 'taskId'), eventTimeMs);
    return { sessionKey, eventTimeMs, dedupeKey, bind: bindByProcess(envelope) };
  },
});
