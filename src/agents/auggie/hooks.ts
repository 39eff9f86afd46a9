// Auggie's hooks (7 events in 0.36, and only where the server switches them on). Holes: a turn that
// fails has no Stop, and an approval fires nothing at all: PreToolUse comes before the dialog.

import type { Normaliser } from '../adapter.ts';
import { claudeStyleName } from '../shared/claude-style-hooks.ts';
import { bindByPane } from '../signals/envelope.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import { describePrompt, describeTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

function stop(fields: Fields): EventMeaning {
  const cause = textAt(fields, 'agent_stop_cause');
  if (cause === 'end_turn') return turnCompleted();
  return cause === 'interrupted' ? turnInterrupted : claim('at_rest');
}

const rows: EventRows = {
  SessionStart: claim('began'),
  PromptSubmit: (fields) => promptSubmitted(describePrompt(fields, 'user_prompt')),
  PreToolUse: (fields) =>
    reportActivity(describeTool(textAt(fields, 'tool_name'), valueAt(fields, 'tool_input'))),
  PostToolUse: toolFinished,
  Stop: stop,
  Notification: 'not seen at approvals',
  SessionEnd: sessionEnded,
};

export const auggieHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows,
  factsOf: (envelope) => ({
    sessionKey: idAt(envelope.fields, 'conversation_id'),
    bind: bindByPane(envelope),
  }),
});
