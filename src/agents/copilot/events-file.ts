// Lines of Copilot CLI's `session-state/<id>/events.jsonl`, written live. assistant.turn_end ends a
// step; it ends the turn too when the message before it requested no tool. Tools start before their
// approval, and requests have their own ids. Events of subagents carry `agentId` and are part of
// the turn.

import type { Normaliser } from '../adapter.ts';
import { dialogs, everyState, work } from '../signals/coverage.ts';
import {
  dedupeKeyOf,
  type EventMeaning,
  type EventRow,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import {
  type Fields,
  fieldsAt,
  idAt,
  listAt,
  numberAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { describeApproval, describeQuestion, isQuestionTool } from '../signals/request.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import {
  contextUsage,
  describeMessage,
  describePrompt,
  describeTool,
  noTool,
} from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const BOOKKEEPING = 'bookkeeping of the session';
const OF_A_SUBAGENT = 'of a subagent: a part of the turn';

/** A question has no event of its own in the file: the call of its tool is one. */
function toolStart(fields: Fields): EventMeaning {
  const tool = textAt(fields, 'data.toolName');
  const input = valueAt(fields, 'data.arguments');
  if (!isQuestionTool(tool)) return reportActivity(describeTool(tool, input));
  return claim('waiting_input', {
    about: idAt(fields, 'data.toolCallId'),
    covers: work,
    request: describeQuestion(input, tool),
  });
}

/** The end of a question, by an answer or by Esc, is recognised by its telemetry. */
function toolComplete(fields: Fields): EventMeaning {
  const isQuestion = textAt(fields, 'data.toolTelemetry.properties.elicitation_action');
  const about = idAt(fields, 'data.toolCallId');
  if (isQuestion === undefined || about === undefined) return toolFinished;
  const answered = { says: 'running', about, covers: dialogs } as const;
  return { ...toolFinished, claims: [answered, ...(toolFinished.claims ?? [])] };
}

function humanResponse(fields: Fields): EventMeaning {
  const about = idAt(fields, 'data.toolCallId');
  if (about === undefined) return BOOKKEEPING;
  return claim('running', { about, covers: dialogs });
}

function message(fields: Fields): EventMeaning {
  const isLast = Array.isArray(valueAt(fields, 'data.toolRequests'))
    ? listAt(fields, 'data.toolRequests').length === 0
    : false;
  const words = describeMessage(fields, 'data.content');
  if (isLast) return turnCompleted(words);
  return words.message === undefined ? 'a message before its tools' : reportActivity(words);
}

function permissionRequested(fields: Fields): EventMeaning {
  const request = fieldsAt(fields, 'data.permissionRequest') ?? {};
  return claim('waiting_approval', {
    about: idAt(fields, 'data.requestId'),
    covers: work,
    request: describeApproval(textAt(request, 'kind', 'toolName'), request),
  });
}

/**
 * Answered: work goes on. The hooks reported the same dialog without its id, so the turn's dialog
 * ends too; one that is still open is drawn anew and seen on the screen. Cancelled: the turn was
 * stopped, and no work is claimed, because this line comes after the abort.
 */
function permissionCompleted(fields: Fields): EventMeaning {
  const about = idAt(fields, 'data.requestId');
  if (textAt(fields, 'data.result.kind') === 'cancelled') {
    return about === undefined ? BOOKKEEPING : claim('interrupted', { about, covers: dialogs });
  }
  const goesOn = { says: 'running', covers: everyState } as const;
  if (about === undefined) return { claims: [goesOn] };
  return { claims: [{ says: 'running', about, covers: dialogs }, goesOn] };
}

function sessionError(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const failure = {
    code: textAt(fields, 'data.errorType'),
    status: numberAt(fields, 'data.statusCode'),
    message: textAt(fields, 'data.message'),
  };
  return { claims: [failureClaim(failure, nowMs)], activity: noTool };
}

/** A row that speaks for the turn only when the main agent wrote it. */
const ofMain =
  (row: EventRow): EventRow =>
  (fields, context) => {
    if (idAt(fields, 'agentId') !== undefined) return OF_A_SUBAGENT;
    return typeof row === 'function' ? row(fields, context) : row;
  };

// Dialogs of a subagent appear in the same pane, so their rows take those too.
const rows: EventRows = {
  'session.start': claim('began'),
  'session.resume': claim('began'),
  'user.message': ofMain((fields) => promptSubmitted(describePrompt(fields, 'data.content'))),
  'assistant.turn_start': ofMain(claim('running', { covers: work })),
  'assistant.message': ofMain(message),
  // A step that ended ends no error and no dialog; the next one may begin within a millisecond.
  'assistant.turn_end': ofMain(claim('at_rest', { covers: ['running', 'completed', 'idle'] })),
  'tool.execution_start': toolStart,
  'tool.execution_complete': toolComplete,
  'human_response.recorded': humanResponse,
  'permission.requested': permissionRequested,
  'permission.completed': permissionCompleted,
  abort: ofMain(turnInterrupted),
  'session.error': ofMain(sessionError),
  // The process may go on with another session, as after /clear, which writes nothing at first.
  'session.shutdown': { ...claim('began'), ...sessionEnded },
  'session.usage_record': ofMain((fields) =>
    reportActivity(contextUsage(fields, 'data.usage.inputTokens', 'data.usage.maxPromptTokens')),
  ),
  'session.title_changed': (fields) => reportActivity({ title: textAt(fields, 'data.title') }),
  'session.model_change': BOOKKEEPING,
  'session.mode_changed': BOOKKEEPING,
  'session.permissions_changed': BOOKKEEPING,
  'session.info': BOOKKEEPING,
  'session.warning': BOOKKEEPING,
  'session.usage_checkpoint': BOOKKEEPING,
  'session.truncation': BOOKKEEPING,
  'session.task_complete': BOOKKEEPING,
  'system.message': BOOKKEEPING,
  'system.notification': BOOKKEEPING,
  'subagent.started': OF_A_SUBAGENT,
  'subagent.configured': OF_A_SUBAGENT,
  'subagent.completed': OF_A_SUBAGENT,
  'subagent.failed': OF_A_SUBAGENT,
  'hook.start': BOOKKEEPING,
  'hook.end': BOOKKEEPING,
};

export const copilotEventsFile: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'type'),
  rows,
  factsOf: ({ fields }, name) => ({
    sessionKey: name === 'session.start' ? idAt(fields, 'data.sessionId') : undefined,
    eventTimeMs: timeAt(fields, 'timestamp'),
    dedupeKey: dedupeKeyOf(name, idAt(fields, 'id')),
  }),
});
