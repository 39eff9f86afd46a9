// Lines of Claude Code's transcript, `~/.claude/projects/<folder>/<session>.jsonl`. They record how
// a turn ended, which the session file does not. A tool that waits for an approval looks like one
// that runs, so a line ends no dialog unless the turn is over.

import type { Normaliser } from '../adapter.ts';
import { work } from '../signals/coverage.ts';
import {
  dedupeKeyOf,
  type EventMeaning,
  type EventRows,
  tableNormaliser,
} from '../signals/event-table.ts';
import { timeAt } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import {
  countAt,
  entriesAt,
  type Fields,
  flagAt,
  idAt,
  numberAt,
  textAt,
  valueAt,
} from '../signals/fields.ts';
import { claim, reportActivity } from '../signals/signal-content.ts';
import { describeMessage, describePrompt, describeTool, noTool } from '../signals/tool-activity.ts';
import { toolFinished, turnCompleted, turnInterrupted } from '../signals/turn.ts';

const BOOKKEEPING = 'bookkeeping of the session';
const SIDE = 'a subagent of the turn';

/** Slash commands and `!` commands leave lines like prompts, and no turn follows them. */
const notAPrompt = /^<(?:command-|local-command-|bash-|system-reminder)/;
const interruption = /^\[Request interrupted by user/;

function user(fields: Fields): EventMeaning {
  if (flagAt(fields, 'isSidechain')) return SIDE;
  const blocks = entriesAt(fields, 'message.content');
  const text = textAt(fields, 'message.content') ?? textAt(blocks[0] ?? {}, 'text');
  if (text !== undefined && interruption.test(text)) {
    return turnInterrupted;
  }
  if (flagAt(fields, 'isMeta') || flagAt(fields, 'isCompactSummary')) {
    return 'words of the agent to itself';
  }
  if (blocks.some((block) => textAt(block, 'type') === 'tool_result')) return toolFinished;
  if (text === undefined) return 'a message with no words';
  if (notAPrompt.test(text)) return 'a command with no turn';
  return { ...claim('running', { covers: work }), activity: describePrompt({ text }, 'text') };
}

function assistant(fields: Fields, { nowMs }: { nowMs: number }): EventMeaning {
  if (flagAt(fields, 'isSidechain')) return SIDE;
  const blocks = entriesAt(fields, 'message.content');
  if (flagAt(fields, 'isApiErrorMessage')) {
    const message = textAt(blocks[0] ?? {}, 'text');
    const failure = { code: textAt(fields, 'error'), status: numberAt(fields, 'apiErrorStatus') };
    return { claims: [failureClaim({ ...failure, message }, nowMs)], activity: noTool };
  }
  const usage = contextOf(fields);
  const words = blocks.findLast((block) => textAt(block, 'type') === 'text') ?? {};
  const message = describeMessage(words, 'text');
  if (textAt(fields, 'message.stop_reason') !== 'tool_use') {
    const isEmpty = usage === undefined && message.message === undefined;
    return isEmpty ? 'turn_duration ends the turn' : reportActivity({ ...message, usage });
  }
  const call = blocks.find((block) => textAt(block, 'type') === 'tool_use') ?? {};
  const tool = describeTool(textAt(call, 'name'), valueAt(call, 'input'));
  return { ...claim('running', { covers: work }), activity: { ...tool, ...message, usage } };
}

function contextOf(fields: Fields): { contextUsed: number } | undefined {
  const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map(
    (name) => countAt(fields, `message.usage.${name}`) ?? 0,
  );
  const contextUsed = counts.reduce((sum, count) => sum + count, 0);
  return contextUsed > 0 ? { contextUsed } : undefined;
}

/**
 * Each turn ends with turn_duration, after what says that it failed or was interrupted. /compact is
 * work that a person asked for, and ends with its boundary; a compaction within a turn does not.
 */
function system(fields: Fields): EventMeaning {
  const subtype = textAt(fields, 'subtype');
  if (subtype === 'compact_boundary') {
    const isManual = textAt(fields, 'compactMetadata.trigger') === 'manual';
    return isManual ? turnCompleted() : 'a compaction within the turn';
  }
  if (subtype === undefined) return 'a system line of no kind';
  if (subtype !== 'turn_duration') return `system line ${subtype.slice(0, 80)}`;
  const agents = numberAt(fields, 'pendingBackgroundAgentCount') ?? 0;
  return agents > 0
    ? claim('running', { covers: work, reason: 'background_work' })
    : turnCompleted();
}

const title =
  (...paths: readonly string[]) =>
  (fields: Fields): EventMeaning => {
    const text = textAt(fields, ...paths);
    return text === undefined ? 'no title' : reportActivity({ title: text });
  };

const rows: EventRows = {
  user,
  assistant,
  system,
  summary: title('summary'),
  'custom-title': title('customTitle', 'title'),
  'ai-title': title('aiTitle', 'title'),
  mode: BOOKKEEPING,
  'permission-mode': BOOKKEEPING,
  'last-prompt': BOOKKEEPING,
  'tools-used': BOOKKEEPING,
  'file-history-snapshot': BOOKKEEPING,
  'file-history-delta': BOOKKEEPING,
  'queue-operation': BOOKKEEPING,
  'api-request': BOOKKEEPING,
  'api-request-blob': BOOKKEEPING,
  'agent-name': BOOKKEEPING,
  attachment: BOOKKEEPING,
  progress: BOOKKEEPING,
};

export const claudeTranscript: Normaliser = tableNormaliser({
  nameOf: ({ fields }) => textAt(fields, 'type'),
  rows,
  factsOf: ({ fields }, name) => ({
    sessionKey: idAt(fields, 'sessionId', 'session_id'),
    eventTimeMs: timeAt(fields, 'timestamp'),
    dedupeKey: dedupeKeyOf(name, idAt(fields, 'uuid')),
  }),
});
