// Cursor CLI's hooks, UNVERIFIED: no npm package ships the CLI, so this follows the public
// documentation of ~/.cursor/hooks.json and no recording. Events that run before an approval claim
// nothing; `stop` separates completed, aborted and error.

import type { Normaliser } from '../adapter.ts';
import { claudeStyleName } from '../shared/claude-style-hooks.ts';
import { bindByPane } from '../signals/envelope.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { failureClaim } from '../signals/failure.ts';
import { type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import { describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const OF_THE_TURN = 'a part of the turn';

function stop(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  switch (textAt(fields, 'status')) {
    case 'completed':
      return turnCompleted();
    case 'aborted':
      return turnInterrupted;
    case 'error':
      return {
        claims: [failureClaim({ message: textAt(fields, 'error_message', 'error') }, nowMs)],
        activity: noTool,
      };
    default:
      return claim('at_rest');
  }
}

const before = (fields: Fields): EventMeaning =>
  reportActivity(
    describeTool(textAt(fields, 'tool_name') ?? 'shell', valueAt(fields, 'tool_input') ?? fields),
  );

const rows: EventRows = {
  sessionStart: claim('began'),
  beforeSubmitPrompt: (fields) => promptSubmitted(describePrompt(fields, 'prompt')),
  preToolUse: before,
  beforeShellExecution: before,
  beforeMCPExecution: before,
  beforeReadFile: OF_THE_TURN,
  postToolUse: toolFinished,
  postToolUseFailure: toolFinished,
  afterShellExecution: toolFinished,
  afterMCPExecution: toolFinished,
  afterFileEdit: toolFinished,
  afterAgentResponse: OF_THE_TURN,
  afterAgentThought: OF_THE_TURN,
  subagentStart: OF_THE_TURN,
  subagentStop: OF_THE_TURN,
  preCompact: OF_THE_TURN,
  stop,
  sessionEnd: sessionEnded,
};

export const cursorHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows,
  factsOf: (envelope) => ({
    sessionKey: idAt(envelope.fields, 'conversation_id', 'session_id'),
    bind: bindByPane(envelope),
  }),
});
