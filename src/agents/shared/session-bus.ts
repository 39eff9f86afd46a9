// Events of opencode's bus, which Kilo shares: from the plugin dropped in its config folder or from
// the server's event stream, with the same objects. They report everything but the end of the
// process. `session.idle` follows completed, failed, interrupted and refused turns alike; the
// event before it shows which, and the engine keeps that for the turn.

import type { Normaliser } from '../adapter.ts';
import { dialogs, rest, work } from '../signals/coverage.ts';
import { bindByPane, type Envelope } from '../signals/envelope.ts';
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
  flagAt,
  idAt,
  isFields,
  numberAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { describeApproval, describeQuestion } from '../signals/request.ts';
import { claim, reportActivity } from '../signals/signal-content.ts';
import { describeMessage, describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const OF_THE_TURN = 'a part of the turn';
const OF_A_CHILD = 'of another session: a subagent of the turn';
const OF_THE_SERVER = 'about the server and not about a turn';
/** A name that opencode gives until the model has made one up. */
const placeholder = /^New session - \d{4}-/;

/** Hooks of the plugin have no object of an event around them; events have `type`. */
function nameOf({ event, fields }: Envelope): string | undefined {
  const name = textAt(fields, 'type') ?? event ?? undefined;
  return name?.replace(/^(?:event|hook):/, '');
}

function status(fields: Fields): EventMeaning {
  switch (textAt(fields, 'properties.status.type')) {
    // Stays busy while a dialog is open, and repeats at each step.
    case 'busy':
      return claim('running', { covers: work });
    case 'retry':
      return claim('running', {
        covers: work,
        reason: 'retrying',
        untilMs: timeAt(fields, 'properties.status.next'),
      });
    case 'idle':
      return { ...claim('at_rest', { covers: rest }), activity: noTool };
    default:
      return 'a status of another kind';
  }
}

function permissionRequest(fields: Fields): EventMeaning {
  const properties = fieldsAt(fields, 'properties') ?? {};
  const metadata = valueAt(properties, 'metadata');
  const tool = textAt(properties, 'permission', 'type');
  return claim('waiting_approval', {
    about: idAt(properties, 'id'),
    covers: work,
    request: describeApproval(tool, isFields(metadata) ? metadata : properties),
  });
}

/** A refusal ends the turn as an interruption; should it go on after all, the next step says so. */
function replied(fields: Fields): EventMeaning {
  const about = idAt(fields, 'properties.requestID', 'properties.permissionID');
  const reply = textAt(fields, 'properties.reply', 'properties.response');
  return claim(reply === 'reject' ? 'interrupted' : 'running', { about, covers: dialogs });
}

const rejected = (fields: Fields): EventMeaning =>
  claim('interrupted', { about: idAt(fields, 'properties.requestID'), covers: dialogs });

const questionRequest = (fields: Fields): EventMeaning =>
  claim('waiting_input', {
    about: idAt(fields, 'properties.id'),
    covers: work,
    request: describeQuestion(valueAt(fields, 'properties')),
  });

/** `properties.error` of session.error, or `properties.info.error` of a message that failed. */
function sessionError(error: Fields, nowMs: number): EventMeaning {
  const name = textAt(error, 'name');
  if (name === 'MessageAbortedError') return turnInterrupted;
  if (name === undefined) return 'an error without a name: interrupted and failed turns have one';
  const failure = {
    code: name,
    status: numberAt(error, 'data.statusCode'),
    message: textAt(error, 'data.message'),
  };
  return { claims: [failureClaim(failure, nowMs)], activity: noTool };
}

/** A turn stopped during a retry has no session.error; in some versions the message has one. */
function messageUpdated(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const info = fieldsAt(fields, 'properties.info') ?? {};
  const error = fieldsAt(info, 'error');
  if (error !== undefined) return sessionError(error, nowMs);
  const isOver = textAt(info, 'role') === 'assistant' && numberAt(info, 'time.completed');
  const isEmpty = textAt(info, 'finish') === undefined && numberAt(info, 'tokens.output') === 0;
  return isOver && isEmpty ? turnInterrupted : OF_THE_TURN;
}

/** The agent's texts have times, and an end once they are whole; what a person wrote has none. */
function textPart(part: Fields): EventMeaning {
  if (flagAt(part, 'synthetic') || flagAt(part, 'ignored')) return OF_THE_TURN;
  const isPrompt = fieldsAt(part, 'time') === undefined;
  if (!isPrompt && numberAt(part, 'time.end') === undefined) return OF_THE_TURN;
  const words = isPrompt ? describePrompt(part, 'text') : describeMessage(part, 'text');
  return Object.keys(words).length === 0 ? OF_THE_TURN : reportActivity(words);
}

/** The stream of a server has no events of tools, but their parts of the message. */
function partUpdated(fields: Fields): EventMeaning {
  const part = fieldsAt(fields, 'properties.part') ?? {};
  if (textAt(part, 'type') === 'text') return textPart(part);
  if (textAt(part, 'type') !== 'tool') return OF_THE_TURN;
  const status = textAt(part, 'state.status');
  if (status === 'completed' || status === 'error') return reportActivity(noTool);
  if (status !== 'running') return OF_THE_TURN;
  return reportActivity(describeTool(textAt(part, 'tool'), valueAt(part, 'state.input')));
}

function titled(fields: Fields): EventMeaning {
  const title = textAt(fields, 'properties.info.title');
  return title === undefined || placeholder.test(title) ? {} : reportActivity({ title });
}

const SESSION_PATHS = [
  'properties.sessionID',
  'properties.info.sessionID',
  'properties.info.id',
  'sessionID',
  'i.sessionID',
];

/** Answers have parents too: the prompts that they answer. They have a role. */
function isChild(fields: Fields): boolean {
  if (idAt(fields, 'properties.parentID') !== undefined) return true;
  const info = fieldsAt(fields, 'properties.info') ?? {};
  return idAt(info, 'parentID') !== undefined && textAt(info, 'role') === undefined;
}

/** A session with a parent is a subagent of the turn, and no session of the runtime. */
const ofMain =
  (row: EventRow): EventRow =>
  (fields, context) => {
    if (isChild(fields)) return OF_A_CHILD;
    const session = idAt(fields, ...SESSION_PATHS);
    const isOther = context.sessionKey !== undefined && session !== undefined;
    if (isOther && session !== context.sessionKey) return OF_A_CHILD;
    return typeof row === 'function' ? row(fields, context) : row;
  };

// Dialogs of a child session appear in the same pane, so their rows take every session.
const rows: EventRows = {
  'plugin.init': claim('began'),
  'session.created': ofMain(titled),
  'session.updated': ofMain(titled),
  'session.status': ofMain(status),
  'session.idle': ofMain(turnCompleted()),
  'session.error': ofMain((fields, { nowMs }) =>
    sessionError(fieldsAt(fields, 'properties.error') ?? {}, nowMs),
  ),
  'session.drain.interrupted': ofMain(turnInterrupted),
  'permission.asked': permissionRequest,
  // The name of permission.asked in versions before 1.1.
  'permission.updated': permissionRequest,
  'permission.replied': replied,
  'question.asked': questionRequest,
  'question.replied': replied,
  // No answer ends the turn; should it go on after all, its next step says so.
  'question.rejected': rejected,
  'chat.message': ofMain(claim('running', { covers: work })),
  // Before permission.asked: it does not say that the tool runs.
  'tool.execute.before': (fields) =>
    reportActivity(describeTool(textAt(fields, 'i.tool', 'tool'), valueAt(fields, 'args'))),
  'tool.execute.after': ofMain(toolFinished),
  'message.updated': ofMain(messageUpdated),
  'message.removed': OF_THE_TURN,
  'message.part.updated': ofMain(partUpdated),
  'message.part.removed': OF_THE_TURN,
  'message.part.delta': OF_THE_TURN,
  'session.diff': OF_THE_TURN,
  'session.compacted': OF_THE_TURN,
  'session.deleted': OF_THE_SERVER,
  'todo.updated': OF_THE_TURN,
  'file.edited': OF_THE_TURN,
  'command.executed': OF_THE_TURN,
  'server.connected': OF_THE_SERVER,
  'server.heartbeat': OF_THE_SERVER,
  'plugin.added': OF_THE_SERVER,
  'catalog.updated': OF_THE_SERVER,
  'reference.updated': OF_THE_SERVER,
  'integration.updated': OF_THE_SERVER,
  'file.watcher.updated': OF_THE_SERVER,
  'lsp.updated': OF_THE_SERVER,
  'lsp.client.diagnostics': OF_THE_SERVER,
  'vcs.branch.updated': OF_THE_SERVER,
  'installation.update-available': OF_THE_SERVER,
  'tui.prompt.append': OF_THE_SERVER,
  'tui.command.execute': OF_THE_SERVER,
  'tui.toast.show': OF_THE_SERVER,
};

export const sessionBusEvents: Normaliser = tableNormaliser({
  nameOf,
  rows,
  factsOf: (envelope, name) => {
    const { fields } = envelope;
    return {
      sessionKey: idAt(fields, ...SESSION_PATHS),
      dedupeKey: dedupeKeyOf(name, idAt(fields, 'id')),
      bind: bindByPane(envelope),
    };
  },
});
