// Lines of Copilot CLI's `session-state/<id>/events.jsonl`: a whole state machine, written live. A
// step ends with assistant.turn_end, which is also the end of the turn when no tool was asked for:
// the message before it tells. Tools start before their approval; requests have ids of their own.
// Subagents write the same events into the same file, with `agentId`: they are parts of the turn.

import type { Normaliser } from '../adapter.ts';
import { answer, everything, work } from '../signals/coverage.ts';
import {
  type Answer,
  dedupeKeyOf,
  type EventRow,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failed } from '../signals/failure.ts';
import {
  type Fields,
  fieldsAt,
  idAt,
  listAt,
  numberAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { approvalOf, isQuestionTool, questionOf } from '../signals/request.ts';
import { claims, ended, tells } from '../signals/saying.ts';
import { contextOf, promptOf, toolEnds, toolStarts } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const BOOKKEEPING = 'bookkeeping of the session';
const OF_A_SUBAGENT = 'of a subagent: a part of the turn';

/** A question has no event of its own in the file: the call of its tool is one. */
function toolStart(fields: Fields): Answer {
  const tool = textAt(fields, 'data.toolName');
  const input = valueAt(fields, 'data.arguments');
  if (!isQuestionTool(tool)) return tells(toolStarts(tool, input));
  return claims('waiting_input', {
    about: idAt(fields, 'data.toolCallId'),
    covers: work,
    request: questionOf(input, tool),
  });
}

/** The end of a question, by an answer or by Esc, is told apart by what was measured of it. */
function toolComplete(fields: Fields): Answer {
  const isQuestion = textAt(fields, 'data.toolTelemetry.properties.elicitation_action');
  const about = idAt(fields, 'data.toolCallId');
  if (isQuestion === undefined || about === undefined) return toolFinished;
  const answered = { says: 'running', about, covers: answer } as const;
  return { ...toolFinished, claims: [answered, ...(toolFinished.claims ?? [])] };
}

function humanResponse(fields: Fields): Answer {
  const about = idAt(fields, 'data.toolCallId');
  if (about === undefined) return BOOKKEEPING;
  return claims('running', { about, covers: answer });
}

function message(fields: Fields): Answer {
  const isLast = Array.isArray(valueAt(fields, 'data.toolRequests'))
    ? listAt(fields, 'data.toolRequests').length === 0
    : false;
  return isLast ? turnCompleted() : 'a message before its tools';
}

function permissionRequested(fields: Fields): Answer {
  const request = fieldsAt(fields, 'data.permissionRequest') ?? {};
  return claims('waiting_approval', {
    about: idAt(fields, 'data.requestId'),
    covers: work,
    request: approvalOf(textAt(request, 'kind', 'toolName'), request),
  });
}

/**
 * Answered: work goes on. The hooks told of the same dialog without its id, so the turn's dialog
 * ends too; one that is still open is drawn anew and seen on the screen. Cancelled: the turn was
 * stopped, and that it goes on is not said, because this line comes after the abort.
 */
function permissionCompleted(fields: Fields): Answer {
  const about = idAt(fields, 'data.requestId');
  if (textAt(fields, 'data.result.kind') === 'cancelled') {
    return about === undefined ? BOOKKEEPING : claims('interrupted', { about, covers: answer });
  }
  const goesOn = { says: 'running', covers: everything } as const;
  if (about === undefined) return { claims: [goesOn] };
  return { claims: [{ says: 'running', about, covers: answer }, goesOn] };
}

function sessionError(fields: Fields, { nowMs }: { nowMs: number }): Answer {
  const failure = {
    code: textAt(fields, 'data.errorType'),
    status: numberAt(fields, 'data.statusCode'),
    message: textAt(fields, 'data.message'),
  };
  return { claims: [failed(failure, nowMs)], activity: toolEnds };
}

/** A row that speaks for the turn only when the main agent wrote it. */
const ofMain =
  (row: EventRow): EventRow =>
  (fields, context) => {
    if (idAt(fields, 'agentId') !== undefined) return OF_A_SUBAGENT;
    return typeof row === 'function' ? row(fields, context) : row;
  };

// Dialogs of a subagent are asked in the same pane, so their rows take those too.
const rows: EventRows = {
  'session.start': claims('began'),
  'session.resume': claims('began'),
  'user.message': ofMain((fields) => promptSubmitted(promptOf(fields, 'data.content'))),
  'assistant.turn_start': ofMain(claims('running', { covers: work })),
  'assistant.message': ofMain(message),
  // A step that ended ends no error and no dialog; the next one may begin within a millisecond.
  'assistant.turn_end': ofMain(claims('at_rest', { covers: ['running', 'completed', 'idle'] })),
  'tool.execution_start': toolStart,
  'tool.execution_complete': toolComplete,
  'human_response.recorded': humanResponse,
  'permission.requested': permissionRequested,
  'permission.completed': permissionCompleted,
  abort: ofMain(turnInterrupted),
  'session.error': ofMain(sessionError),
  // The process may go on with another session, as after /clear, which writes nothing at first.
  'session.shutdown': { ...claims('began'), ...ended },
  'session.usage_record': ofMain((fields) =>
    tells(contextOf(fields, 'data.usage.inputTokens', 'data.usage.maxPromptTokens')),
  ),
  'session.title_changed': (fields) => tells({ title: textAt(fields, 'data.title') }),
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
