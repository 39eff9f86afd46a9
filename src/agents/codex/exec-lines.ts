// Lines of `codex exec --json`: a turn without a person. It never asks, what would need an approval
// is refused, so the lines report everything but the end of the process.

import type { Normaliser } from '../adapter.ts';
import { everyState } from '../signals/coverage.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { failureClaim } from '../signals/failure.ts';
import { type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claim } from '../signals/signal-content.ts';
import { contextUsage, describeTool, noTool } from '../signals/tool-activity.ts';
import { turnCompleted } from '../signals/turn.ts';

const works = claim('running', { covers: everyState });

function itemStarted(fields: Fields): EventMeaning {
  const type = textAt(fields, 'item.type', 'item.item_type');
  const isTool = type !== 'agent_message' && type !== 'reasoning' && type !== 'todo_list';
  return isTool ? { ...works, activity: describeTool(type, valueAt(fields, 'item')) } : works;
}

function turnFailed(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  const message = textAt(fields, 'error.message', 'message');
  return { claims: [failureClaim({ message }, nowMs)], activity: noTool };
}

const rows: EventRows = {
  'thread.started': {},
  'turn.started': works,
  'item.started': itemStarted,
  'item.updated': works,
  'item.completed': { ...works, activity: noTool },
  'turn.completed': (fields) => turnCompleted(contextUsage(fields, 'usage.input_tokens')),
  'turn.failed': turnFailed,
  // Followed by turn.failed when it was the last attempt.
  error: claim('running', { covers: everyState, reason: 'retrying' }),
};

export const codexExecLines: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'type'),
  rows,
  factsOf: ({ fields }) => ({ sessionKey: idAt(fields, 'thread_id') }),
});
