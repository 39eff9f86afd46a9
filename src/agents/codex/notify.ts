// Codex's `notify` program: one JSON argument at the end of a turn. It also fires for the hidden
// thread that makes up a title for the first prompt, a moment after the submit: that one is dropped
// by its words here, and by its thread where the session is known. No interrupt, no error.

import type { Normaliser } from '../adapter.ts';
import {
  dedupeKeyOf,
  type EventMeaning,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { type Fields, idAt, listAt, textAt } from '../signals/fields.ts';
import { describeMessage } from '../signals/tool-activity.ts';
import { toolDialog, turnCompleted } from '../signals/turn.ts';

const hiddenPrompt = /^Generate a concise, single-line task title\b/;

function turnComplete(fields: Fields): EventMeaning {
  const [first] = listAt(fields, 'input-messages');
  if (typeof first === 'string' && hiddenPrompt.test(first)) {
    return 'the hidden thread that makes up a title';
  }
  return turnCompleted(describeMessage(fields, 'last-assistant-message'));
}

const rows: EventRows = {
  'agent-turn-complete': turnComplete,
  // Older versions send it; 0.166 never did in our tests.
  'approval-requested': (fields) => toolDialog(textAt(fields, 'tool'), fields),
};

export const codexNotify: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'type'),
  rows,
  factsOf: ({ fields }, name) => ({
    sessionKey: idAt(fields, 'thread-id'),
    dedupeKey: dedupeKeyOf(name, idAt(fields, 'thread-id'), idAt(fields, 'turn-id')),
  }),
});
