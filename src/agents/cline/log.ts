// Lines of the log that Cline writes by itself (`~/.cline/data/logs/cline.log`, 3.0), one JSON
// object each: when a run of the agent began and how it ended, which its screen does not show.
// Approvals and questions are not in it. All of the user's Clines share the log; `pid` says whose
// a line is, and the reader of the file keeps to its own.

import type { Normaliser } from '../adapter.ts';
import { work } from '../signals/coverage.ts';
import { type EventMeaning, type EventRow, tableNormaliser } from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, textAt } from '../signals/fields.ts';
import { claim } from '../signals/signal-content.ts';
import { noTool } from '../signals/tool-activity.ts';
import { promptSubmitted, toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

/** The main agent has no role, or leads a team. */
const ofMain =
  (row: EventRow): EventRow =>
  (fields, context) => {
    const role = textAt(fields, 'properties.agentRole') ?? 'lead';
    if (role !== 'lead') return 'a subagent of the turn';
    return typeof row === 'function' ? row(fields, context) : row;
  };

function runFinished(fields: Fields): EventMeaning {
  switch (textAt(fields, 'properties.status')) {
    case 'completed':
      return turnCompleted();
    case 'aborted':
      return turnInterrupted;
    default:
      return 'an end of another kind';
  }
}

const works = claim('running', { covers: work });

/** The events of the log that are about a turn. */
export const clineLogRows = {
  'session.started': claim('began'),
  'session.input_sent': promptSubmitted({}),
  'session.aborted': turnInterrupted,
  'agent.run-started': ofMain(works),
  'agent.turn-started': ofMain(works),
  'agent.tool-started': ofMain(works),
  'agent.tool-finished': ofMain(toolFinished),
  'agent.run-finished': ofMain(runFinished),
  // The screen shows why.
  'agent.run-failed': ofMain({ ...claim('error'), activity: noTool }),
} as const satisfies Readonly<Record<string, EventRow>>;

export const clineLogLines: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'event'),
  rows: clineLogRows,
  factsOf: ({ fields }) => ({ eventTimeMs: timeAt(fields, 'time') }),
});
