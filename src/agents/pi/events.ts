// Events of pi's extension interface (0.73). pi never asks: tools just run, so nothing here ends a
// dialog. An attempt that failed in a way that pi tries again ends with agent_end and begins anew
// with agent_start, some seconds later.

import type { Normaliser } from '../adapter.ts';
import { rest, work } from '../signals/coverage.ts';
import { bindByPane } from '../signals/envelope.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import { entriesAt, type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import { contextUsage, describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const OF_THE_TURN = 'a part of the turn';

/** Failures that pi retries by itself; any other ends the turn. */
const transient = new RegExp(
  [
    'overloaded|rate.?limit|too many requests|\\b(?:429|5\\d\\d)\\b|unavailable',
    'server.?error|internal.?error|connection|timed? ?out|terminated|fetch failed',
  ].join('|'),
  'i',
);

function agentEnd(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const last = entriesAt(fields, 'messages').at(-1) ?? {};
  const message = textAt(last, 'errorMessage');
  switch (textAt(last, 'stopReason')) {
    case 'stop':
    case 'length':
      return turnCompleted();
    case 'aborted':
      return turnInterrupted;
    case 'error':
      return transient.test((message ?? '').slice(0, 500))
        ? claim('running', { covers: work, reason: 'retrying' })
        : { claims: [failureClaim({ message }, nowMs)], activity: noTool };
    default:
      return { ...claim('at_rest', { covers: rest }), activity: noTool };
  }
}

const toolBegan = (fields: Fields): EventMeaning => ({
  ...claim('running', { covers: work }),
  activity: describeTool(
    textAt(fields, 'toolName'),
    valueAt(fields, 'args') ?? valueAt(fields, 'input'),
  ),
});

const rows: EventRows = {
  session_start: claim('began'),
  input: (fields) => reportActivity(describePrompt(fields, 'text')),
  before_agent_start: (fields) => promptSubmitted(describePrompt(fields, 'prompt')),
  agent_start: claim('running'),
  turn_start: claim('running', { covers: work }),
  turn_end: (fields) => reportActivity(contextUsage(fields, 'message.usage.totalTokens')),
  agent_end: agentEnd,
  tool_execution_start: toolBegan,
  tool_call: toolBegan,
  tool_execution_update: OF_THE_TURN,
  tool_result: OF_THE_TURN,
  tool_execution_end: toolFinished,
  message_start: OF_THE_TURN,
  message_update: OF_THE_TURN,
  message_end: OF_THE_TURN,
  context: OF_THE_TURN,
  model_select: OF_THE_TURN,
  session_shutdown: sessionEnded,
};

export const piEvents: Normaliser = tableNormaliser({
  nameOf: ({ event, fields }) => textAt(fields, 'type') ?? event ?? undefined,
  rows,
  factsOf: (envelope) => ({
    sessionKey: idAt(envelope.fields, 'sessionId'),
    eventTimeMs: timeAt(envelope.fields, 'timestamp'),
    bind: bindByPane(envelope),
  }),
});
