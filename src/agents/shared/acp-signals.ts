// What an ACP member reports of itself as claims: relay/acp/acp-signal.ts has the shapes. The
// protocol shows everything: a turn from its prompt to its stop reason, and each request with its
// answer. Its updates are free text of the agent, so they are read as any foreign payload.

import type { Request } from '../../schema/evidence.ts';
import type { NormaliseContext, Normaliser } from '../adapter.ts';
import { dialogs, everyState, work } from '../signals/coverage.ts';
import { failureClaim } from '../signals/failure.ts';
import {
  countAt,
  cut,
  entriesAt,
  type Fields,
  fieldsAt,
  flagAt,
  idAt,
  isFields,
  numberAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { describeApproval } from '../signals/request.ts';
import {
  buildSignal,
  type ClaimDraft,
  claim,
  ignoredSignal,
  omitUndefined,
  reportActivity,
  type SignalContent,
  unknownSignal,
} from '../signals/signal-content.ts';
import { noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const AUTH_REQUIRED = -32_000;
const TITLE_LENGTH_MAX = 300;
const MESSAGE_LENGTH_MAX = 1_000;
/** Copilot reports a failed call of its API as the text of a turn that ended well. */
const copilotFailure = /^\s*(?:Error|Execution failed): (?:.{0,80}?\b(\d{3})\b)?/s;

type Row = (fields: Fields, context: NormaliseContext) => SignalContent | string;

const OF_THE_TURN = 'a part of the turn';

function update(fields: Fields): SignalContent | string {
  const change = fieldsAt(fields, 'update') ?? {};
  switch (textAt(change, 'sessionUpdate')) {
    case 'session_info_update': {
      const title = textAt(change, 'title');
      return title === undefined ? OF_THE_TURN : reportActivity({ title });
    }
    case 'usage_update': {
      const contextUsed = countAt(change, 'used');
      if (contextUsed === undefined) return OF_THE_TURN;
      const contextMax = countAt(change, 'size');
      return reportActivity({ usage: omitUndefined({ contextUsed, contextMax }) });
    }
    case 'tool_call':
    case 'tool_call_update':
      return textAt(fields, 'during') === 'turn' ? toolUpdate(change) : OF_THE_TURN;
    default:
      return OF_THE_TURN;
  }
}

function toolUpdate(change: Fields): SignalContent {
  const status = textAt(change, 'status');
  const isOver = status === 'completed' || status === 'failed';
  const title = textAt(change, 'title');
  const tool = title === undefined ? {} : { tool: cut(title, TITLE_LENGTH_MAX) };
  // What waits for a permission is pending too.
  return { ...claim('running', { covers: work }), activity: isOver ? noTool : tool };
}

function permission(fields: Fields): SignalContent {
  const toolCall = fieldsAt(fields, 'request.toolCall') ?? {};
  return claim('waiting_approval', {
    about: idAt(fields, 'request.requestId'),
    covers: work,
    request: describePermission(toolCall, entriesAt(fields, 'request.options')),
  });
}

function describePermission(toolCall: Fields, options: readonly Fields[]): Request {
  const title = textAt(toolCall, 'title');
  const input = valueAt(toolCall, 'rawInput');
  const described = describeApproval(textAt(toolCall, 'kind') ?? title, input);
  const [location] = entriesAt(toolCall, 'locations');
  const [edit] = entriesAt(toolCall, 'content').filter((each) => textAt(each, 'type') === 'diff');
  const path = location && textAt(location, 'path');
  const file = described.file ?? path ?? (edit && textAt(edit, 'path'));
  return omitUndefined({
    ...described,
    file: described.command === undefined ? file : described.file,
    text: described.command === title ? described.text : (title ?? described.text),
    options: options.slice(0, 32).map((each) => ({
      label: textAt(each, 'label') ?? '',
      selected: false,
    })),
  });
}

/** The turn goes on, until it says otherwise. With no other request open, none is left. */
function permissionOver(fields: Fields): SignalContent {
  const about = idAt(fields, 'request.requestId');
  const isLast = numberAt(fields, 'openCount') === 0;
  const answered: ClaimDraft = { says: 'running', about, covers: dialogs };
  const goesOn: ClaimDraft = { says: 'running', covers: everyState };
  return { claims: isLast ? [answered, goesOn] : [answered] };
}

function turnEnded(fields: Fields, { agent, nowMs }: NormaliseContext): SignalContent {
  const message = textAt(fields, 'lastText');
  const words = message === undefined ? {} : { message: cut(message, MESSAGE_LENGTH_MAX) };
  const failed = (status?: number): SignalContent => ({
    claims: [failureClaim({ status, message }, nowMs)],
    activity: { ...noTool, ...words },
  });
  switch (textAt(fields, 'stopReason')) {
    case 'end_turn': {
      const failure = agent === 'copilot' ? copilotFailure.exec(message ?? '') : null;
      if (failure === null) return turnCompleted(words);
      return failed(failure[1] === undefined ? undefined : Number(failure[1]));
    }
    case 'cancelled':
      return turnInterrupted;
    case 'max_tokens':
    case 'max_turn_requests':
    case 'refusal':
      return failed();
    default:
      // A reason that this version does not know: only that it rests is certain.
      return { ...claim('at_rest'), activity: { ...noTool, ...words } };
  }
}

function turnFailed(fields: Fields, { nowMs }: NormaliseContext): SignalContent {
  if (numberAt(fields, 'code') === AUTH_REQUIRED) {
    return { ...claim('error', { reason: 'auth_required' }), activity: noTool };
  }
  const failure = {
    status: numberAt(fields, 'data.httpStatus', 'data.statusCode', 'data.status', 'data.code'),
    code: textAt(fields, 'data.errorName', 'data.name'),
    message: [textAt(fields, 'message'), textAt(fields, 'data.message', 'data.details', 'data')]
      .filter((each) => each !== undefined)
      .join(' '),
  };
  const message = textAt(fields, 'message');
  const words = message === undefined ? {} : { message: cut(message, MESSAGE_LENGTH_MAX) };
  return { claims: [failureClaim(failure, nowMs)], activity: { ...noTool, ...words } };
}

const rows: Readonly<Record<string, Row>> = {
  ready: (fields) => (flagAt(fields, 'wasInterrupted') ? turnInterrupted : claim('began')),
  auth_required: (fields) =>
    claim('waiting_input', {
      reason: 'auth_required',
      request: omitUndefined({ kind: 'question' as const, text: textAt(fields, 'detail') }),
    }),
  turn_began: (fields) => promptSubmitted(omitUndefined({ prompt: textAt(fields, 'text') })),
  update,
  permission,
  permission_over: permissionOver,
  turn_ended: turnEnded,
  turn_failed: turnFailed,
};

export const acpSignals: Normaliser = (raw, context) => {
  if (!isFields(raw)) return unknownSignal('no object');
  const kind = textAt(raw, 'kind') ?? '';
  const row = Object.hasOwn(rows, kind) ? rows[kind] : undefined;
  if (row === undefined) return ignoredSignal('it says nothing about the state');
  const content = row(raw, context);
  if (typeof content === 'string') return ignoredSignal(content);
  return buildSignal(kind, content, context, { sessionKey: idAt(raw, 'sessionId') });
};
