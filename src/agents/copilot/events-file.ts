// Lines of Copilot CLI's `session-state/<id>/events.jsonl`: a whole state machine, written live. A
// step ends with assistant.turn_end, which is also the end of the turn when no tool was asked for:
// the message before it tells. Tools start before their approval; requests have ids of their own.

import type { Normaliser } from '../adapter.ts';
import { answer, everything, work } from '../signals/coverage.ts';
import {
  type Answer,
  dedupeKeyOf,
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
import { approvalOf, isQuestionTool } from '../signals/request.ts';
import { claims, ended, tells } from '../signals/saying.ts';
import { contextOf, promptOf, toolEnds, toolStarts } from '../signals/tool-activity.ts';
import {
  asksForTool,
  promptSubmitted,
  toolFinished,
  turnCompleted,
  turnInterrupted,
} from '../signals/turn.ts';

const BOOKKEEPING = 'bookkeeping of the session';

function toolStart(fields: Fields): Answer {
  const tool = textAt(fields, 'data.toolName');
  const input = valueAt(fields, 'data.arguments');
  return isQuestionTool(tool) ? asksForTool(tool, input) : tells(toolStarts(tool, input));
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
 * Approved: work goes on. Cancelled: abort follows. The hooks told of the same dialog without its
 * id, so the turn's dialog ends too; one that is still open is drawn anew and seen on the screen.
 */
function permissionCompleted(fields: Fields): Answer {
  const about = idAt(fields, 'data.requestId');
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

const rows: EventRows = {
  'session.start': claims('at_rest'),
  'session.resume': claims('at_rest'),
  'user.message': (fields) => promptSubmitted(promptOf(fields, 'data.content')),
  'assistant.turn_start': claims('running', { covers: work }),
  'assistant.message': message,
  // A step that ended ends no error and no dialog; the next one may begin within a millisecond.
  'assistant.turn_end': claims('at_rest', { covers: ['running', 'completed', 'idle'] }),
  'tool.execution_start': toolStart,
  'tool.execution_complete': toolFinished,
  'permission.requested': permissionRequested,
  'permission.completed': permissionCompleted,
  abort: turnInterrupted,
  'session.error': sessionError,
  'session.shutdown': ended,
  'session.usage_record': (fields) =>
    tells(contextOf(fields, 'data.usage.inputTokens', 'data.usage.maxPromptTokens')),
  'session.title_changed': (fields) => tells({ title: textAt(fields, 'data.title') }),
  'session.model_change': BOOKKEEPING,
  'session.info': BOOKKEEPING,
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
