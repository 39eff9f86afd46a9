// Lines of `codex exec --json`: a turn without a person. It never asks, what would need an approval
// is refused, so the lines tell everything but the end of the process.

import type { Normaliser } from '../adapter.ts';
import { everything } from '../signals/coverage.ts';
import { type Answer, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { failed } from '../signals/failure.ts';
import { type Fields, idAt, textAt, valueAt } from '../signals/fields.ts';
import { claims } from '../signals/saying.ts';
import { contextOf, toolEnds, toolStarts } from '../signals/tool-activity.ts';
import { turnCompleted } from '../signals/turn.ts';

const works = claims('running', { covers: everything });

function itemStarted(fields: Fields): Answer {
  const type = textAt(fields, 'item.type', 'item.item_type');
  const isTool = type !== 'agent_message' && type !== 'reasoning' && type !== 'todo_list';
  return isTool ? { ...works, activity: toolStarts(type, valueAt(fields, 'item')) } : works;
}

function turnFailed(fields: Fields, { nowMs }: { nowMs: number }): Answer {
  const message = textAt(fields, 'error.message', 'message');
  return { claims: [failed({ message }, nowMs)], activity: toolEnds };
}

const rows: EventRows = {
  'thread.started': {},
  'turn.started': works,
  'item.started': itemStarted,
  'item.updated': works,
  'item.completed': { ...works, activity: toolEnds },
  'turn.completed': (fields) => turnCompleted(contextOf(fields, 'usage.input_tokens')),
  'turn.failed': turnFailed,
  // Followed by turn.failed when it was the last attempt.
  error: claims('running', { covers: everything, reason: 'retrying' }),
};

export const codexExecLines: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'type'),
  rows,
  factsOf: ({ fields }) => ({ sessionKey: idAt(fields, 'thread_id') }),
});
