// Copilot CLI's hooks (1.0.102), under both spellings: camelCase names with sessionId and toolName,
// and Claude-style names with session_id and tool_name. Configured twice, they fire twice with one
// timestamp. Holes: Esc fires nothing, the last failed attempt looks like the ones before, and an
// approval given is not reported. events.jsonl closes all of them.

import type { Normaliser } from '../adapter.ts';
import { work } from '../signals/coverage.ts';
import { bindByPane, type Envelope } from '../signals/envelope.ts';
import {
  dedupeKeyOf,
  type EventMeaning,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, fieldsAt, idAt, textAt } from '../signals/fields.ts';
import { describeApproval, describeQuestion, isQuestionTool } from '../signals/request.ts';
import { claim, reportActivity, sessionEnded } from '../signals/signal-content.ts';
import { describePrompt, describeTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolDialog, toolFinished, turnCompleted } from '../signals/turn.ts';

const OF_THE_TURN = 'a part of the turn';

/** Claude-style names of Copilot's own events. */
const ownNames: Readonly<Record<string, string>> = {
  SessionStart: 'sessionStart',
  SessionEnd: 'sessionEnd',
  UserPromptSubmit: 'userPromptSubmitted',
  UserPromptSubmitted: 'userPromptSubmitted',
  UserPromptTransformed: 'userPromptTransformed',
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  PostToolUseFailure: 'postToolUseFailure',
  PermissionRequest: 'permissionRequest',
  Notification: 'notification',
  ErrorOccurred: 'errorOccurred',
  Stop: 'agentStop',
  AgentStop: 'agentStop',
  SubagentStart: 'subagentStart',
  SubagentStop: 'subagentStop',
  PreCompact: 'preCompact',
};

function nameOf({ event, fields }: Envelope): string | undefined {
  const name = textAt(fields, 'hook_event_name', 'hookName') ?? event ?? undefined;
  return name !== undefined && Object.hasOwn(ownNames, name) ? ownNames[name] : name;
}

const toolOf = (fields: Fields): string | undefined => textAt(fields, 'toolName', 'tool_name');
const inputOf = (fields: Fields): Fields =>
  fieldsAt(fields, 'toolArgs', 'toolInput', 'tool_input') ?? {};

/** Before the approval. The tool that asks has none, and older versions report it only here. */
function preToolUse(fields: Fields): EventMeaning {
  const [tool, input] = [toolOf(fields), inputOf(fields)];
  return isQuestionTool(tool) ? toolDialog(tool, input) : reportActivity(describeTool(tool, input));
}

function notification(fields: Fields): EventMeaning {
  const type = textAt(fields, 'notification_type');
  const message = textAt(fields, 'message');
  if (type === 'elicitation_dialog') {
    return claim('waiting_input', { covers: work, request: describeQuestion({ message }) });
  }
  if (type !== 'permission_prompt') return `notification ${type ?? 'of no type'}`;
  const command = /^Run command: (.+)$/s.exec(message ?? '')?.[1];
  return claim('waiting_approval', {
    covers: work,
    request: describeApproval(undefined, command ? { command } : { description: message }),
  });
}

function agentStop(fields: Fields): EventMeaning {
  const reason = textAt(fields, 'stopReason', 'stop_reason') ?? 'end_turn';
  return reason === 'end_turn' ? turnCompleted() : claim('at_rest');
}

const rows: EventRows = {
  // Fires at the first prompt and not at launch: userPromptSubmitted follows.
  sessionStart: {},
  userPromptSubmitted: (fields) => promptSubmitted(describePrompt(fields, 'prompt')),
  userPromptTransformed: OF_THE_TURN,
  preToolUse,
  // A hook may answer it, and then there is no dialog: the notification shows that there is one.
  permissionRequest: (fields) => reportActivity(describeTool(toolOf(fields), inputOf(fields))),
  notification,
  postToolUse: toolFinished,
  postToolUseFailure: toolFinished,
  // Recoverable was true even on the last, fatal attempt.
  errorOccurred: claim('running', { covers: work, reason: 'retrying' }),
  agentStop,
  subagentStart: OF_THE_TURN,
  subagentStop: OF_THE_TURN,
  preCompact: OF_THE_TURN,
  sessionEnd: sessionEnded,
};

export const copilotHooks: Normaliser = tableNormaliser({
  nameOf,
  rows,
  factsOf: (envelope, name) => {
    const { fields } = envelope;
    const sessionKey = idAt(fields, 'sessionId', 'session_id');
    const eventTimeMs = timeAt(fields, 'timestamp');
    const dedupeKey = dedupeKeyOf(name, sessionKey, eventTimeMs);
    return { sessionKey, eventTimeMs, dedupeKey, bind: bindByPane(envelope) };
  },
});
