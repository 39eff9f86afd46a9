// Codex's hooks (14 events in 0.166). The shared daemon runs them with the environment of the pane
// that started it first: they bind by thread, or by the process that ran them where that is the
// agent's own, never by pane. Holes: a failed turn has no event, an approval given has none until
// the tool ends, and questions fire PreToolUse only. Esc has its own event, Interrupt.

import type { Normaliser } from '../adapter.ts';
import {
  claudeStyleFacts,
  claudeStyleName,
  claudeStyleRows,
  inputOf,
  toolOf,
} from '../shared/claude-style-hooks.ts';
import { work } from '../signals/coverage.ts';
import { bindByProcess } from '../signals/envelope.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { type Fields, textAt, valueAt } from '../signals/fields.ts';
import { isQuestionTool } from '../signals/request.ts';
import { claim } from '../signals/signal-content.ts';
import { contextUsage } from '../signals/tool-activity.ts';
import { toolDialog, toolStarted, turnInterrupted } from '../signals/turn.ts';

/** A request that failed is tried again, or the turn is over: other sources show which. */
function postModelRequest(fields: Fields): EventMeaning {
  const status = textAt(fields, 'status');
  const hasFailed = status === 'failed' || textAt(fields, 'error', 'error.message') !== undefined;
  if (hasFailed) return claim('running', { covers: work, reason: 'retrying' });
  if (status !== 'completed') return 'a request that was cancelled; Interrupt reports the end';
  const activity = contextUsage(fields, 'token_usage.total_tokens');
  return { ...claim('running', { covers: work }), activity };
}

function preToolUse(fields: Fields): EventMeaning {
  const [tool, input] = [toolOf(fields), inputOf(fields)];
  return isQuestionTool(tool) ? toolDialog(tool, input) : toolStarted(tool, input);
}

const rows: EventRows = {
  SessionStart: (fields) => (valueAt(fields, 'source') === 'clear' ? claim('began') : {}),
  UserPromptSubmit: claudeStyleRows.UserPromptSubmit,
  PreModelRequest: claim('running', { covers: work }),
  PostModelRequest: postModelRequest,
  PreToolUse: preToolUse,
  PermissionRequest: claudeStyleRows.PermissionRequest,
  PostToolUse: claudeStyleRows.PostToolUse,
  PreCompact: claudeStyleRows.PreCompact,
  PostCompact: 'whether a turn goes on after it was not seen',
  SubagentStart: claudeStyleRows.SubagentStart,
  SubagentStop: 'the turn goes on until Stop',
  Stop: claudeStyleRows.Stop,
  Interrupt: turnInterrupted,
  SessionEnd: claudeStyleRows.SessionEnd,
};

export const codexHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows,
  factsOf: (envelope, name) => ({
    ...claudeStyleFacts(envelope, name),
    bind: bindByProcess(envelope),
  }),
});
