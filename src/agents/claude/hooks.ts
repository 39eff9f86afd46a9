// Claude Code's hooks (33 events in 2.1.325). They run in the pane's own process, so the pane of
// the environment is right. They report every end of a turn except Esc, and the start of every
// dialog but not its answer: the session file closes both holes.

import type { Normaliser } from '../adapter.ts';
import {
  claudeStyleFacts,
  claudeStyleName,
  claudeStyleRows,
} from '../shared/claude-style-hooks.ts';
import { dialogs, work } from '../signals/coverage.ts';
import { type EventMeaning, type EventRows, tableNormaliser } from '../signals/event-table.ts';
import { type Fields, idAt, textAt } from '../signals/fields.ts';
import { describeQuestion } from '../signals/request.ts';
import { claim } from '../signals/signal-content.ts';
import { turnCompleted } from '../signals/turn.ts';

const NOT_OF_THE_TURN = 'says nothing of the turn';

/** /compact is work that a person asked for; a compaction within a turn goes on with the turn. */
function postCompact(fields: Fields): EventMeaning {
  return textAt(fields, 'trigger') === 'manual'
    ? turnCompleted()
    : claim('running', { covers: work });
}

/** A form of an MCP server. Not tried in the lab: as documented. */
const elicitationId = (fields: Fields): string =>
  `elicitation:${idAt(fields, 'elicitation_id', 'mcp_server_name') ?? ''}`;

const rows: EventRows = {
  ...claudeStyleRows,
  PostCompact: postCompact,
  Elicitation: (fields) =>
    claim('waiting_input', {
      about: elicitationId(fields),
      covers: work,
      request: describeQuestion(fields),
    }),
  ElicitationResult: (fields) =>
    claim('running', { about: elicitationId(fields), covers: dialogs }),
  // Its hook races with the one of Stop, and UserPromptSubmit has reported the work.
  MessageDisplay: 'the text of an answer; its hook may run after the one of Stop',
  UserPromptExpansion: 'UserPromptSubmit has the prompt',
  PermissionDenied: 'refused with no dialog; the turn goes on',
  TeammateIdle: 'about another agent',
  TaskCreated: NOT_OF_THE_TURN,
  TaskCompleted: NOT_OF_THE_TURN,
  Setup: NOT_OF_THE_TURN,
  PreModelSwitch: NOT_OF_THE_TURN,
  PostModelSwitch: NOT_OF_THE_TURN,
  ConfigChange: NOT_OF_THE_TURN,
  WorktreeCreate: NOT_OF_THE_TURN,
  WorktreeRemove: NOT_OF_THE_TURN,
  InstructionsLoaded: NOT_OF_THE_TURN,
  CwdChanged: NOT_OF_THE_TURN,
  FileChanged: NOT_OF_THE_TURN,
  DirectoryAdded: NOT_OF_THE_TURN,
};

export const claudeHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows,
  factsOf: claudeStyleFacts,
});
