// Gemini CLI's hooks (8 events in 0.61). Holes: Esc
// on a dialog, an approval given, retries and a shell that waits for input fire nothing, and Esc in
// a tool fires no AfterAgent. The title, where it showed the dialog, and the screen close them. A
// failed turn and an interrupted one look the same here.

import type { Normaliser } from '../adapter.ts';
import { claudeStyleFacts, claudeStyleName } from '../shared/claude-style-hooks.ts';
import { rest, work } from '../signals/coverage.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { type Fields, fieldsAt, textAt, valueAt } from '../signals/fields.ts';
import { describeApproval, describeQuestion } from '../signals/request.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import { describeMessage, describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted } from '../signals/turn.ts';

const NO_RESPONSE = '[no response text]';

function notification(fields: Fields): EventMeaning {
  const type = textAt(fields, 'notification_type');
  if (type !== 'ToolPermission') return `notification ${type ?? 'of no type'}`;
  const details = fieldsAt(fields, 'details') ?? {};
  if (textAt(details, 'type') === 'ask_user') {
    return claim('waiting_input', { covers: work, request: describeQuestion(details) });
  }
  const tool = textAt(details, 'title', 'type');
  return claim('waiting_approval', { covers: work, request: describeApproval(tool, details) });
}

function afterAgent(fields: Fields): EventMeaning {
  const response = textAt(fields, 'prompt_response');
  return response === undefined || response === NO_RESPONSE
    ? { ...claim('at_rest', { covers: rest }), activity: noTool }
    : turnCompleted(describeMessage(fields, 'prompt_response'));
}

const rows: EventRows = {
  SessionStart: claim('began'),
  BeforeAgent: (fields) => promptSubmitted(describePrompt(fields, 'prompt')),
  PreCompress: 'fires on every model call',
  // Comes before the approval dialog, so it does not say that the tool runs.
  BeforeTool: (fields) =>
    reportActivity(describeTool(textAt(fields, 'tool_name'), valueAt(fields, 'tool_input'))),
  Notification: notification,
  AfterTool: toolFinished,
  AfterAgent: afterAgent,
  BeforeModel: 'a model call of the turn',
  AfterModel: 'a model call of the turn',
  BeforeToolSelection: 'a model call of the turn',
  SessionEnd: (fields) => (textAt(fields, 'reason') === 'clear' ? {} : sessionEnded),
};

export const geminiHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows,
  factsOf: claudeStyleFacts,
});
