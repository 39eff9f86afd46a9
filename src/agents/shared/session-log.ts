// Lines of the log that opencode and Kilo write by themselves (`opencode.log`): each step of a
// turn, each request, how a turn ended. The answer to an approval is not in it: the next step or
// the screen shows it. `run=` names the process of a line; the reader of the file knows whose it
// is.

import type { Normaliser } from '../adapter.ts';
import { dialogs, everyState, work } from '../signals/coverage.ts';
import { epochMs } from '../signals/event-time.ts';
import { failureClaim } from '../signals/failure.ts';
import { describeApproval, describeQuestion } from '../signals/request.ts';
import {
  buildSignal,
  type ClaimDraft,
  claim,
  ignoredSignal,
  type SignalContent,
  unknownSignal,
} from '../signals/signal-content.ts';
import { noTool } from '../signals/tool-activity.ts';
import { turnCompleted, turnInterrupted } from '../signals/turn.ts';

/** Lines with error stacks are the longest; the fields we need come before the stack. */
const LINE_LENGTH_MAX = 4_000;
const PAIRS_MAX = 40;

export type SessionLogFields = Readonly<Record<string, string>>;

/** The `key=value` pairs of a line; values in quotes are JSON texts. */
export function parseLogLine(line: string): SessionLogFields {
  const found: Record<string, string> = Object.create(null);
  const pair = /([\w.]{1,40})=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/g;
  for (let count = 0; count < PAIRS_MAX; count += 1) {
    const [, key, value] = pair.exec(line.slice(0, LINE_LENGTH_MAX)) ?? [];
    if (key === undefined || value === undefined) break;
    found[key] ??= value.startsWith('"') ? unquoted(value) : value;
  }
  return found;
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Tools and dialogs do not outlive their step: a new step ends them all. */
const step: SignalContent = claim('running');

function asking(fields: SessionLogFields): SignalContent | string {
  const about = fields['id'];
  if (about?.startsWith('que_')) {
    return claim('waiting_input', { about, covers: work, request: describeQuestion({}) });
  }
  if (!about?.startsWith('per_')) return 'a question of another kind';
  const request = describeApproval(fields['permission'], { description: patternsOf(fields) });
  return claim('waiting_approval', { about, covers: work, request });
}

/** What is to be allowed: parts of a command, files, addresses; never the command itself. */
function patternsOf({ patterns = '' }: SessionLogFields): string | undefined {
  const listed = /^\["(.*)"\]$/s.exec(patterns)?.[1];
  return listed?.replaceAll('","', ', ');
}

function failure({ error = '' }: SessionLogFields, nowMs: number): SignalContent {
  if (error === 'Aborted') return turnInterrupted;
  return { claims: [failureClaim({ message: error }, nowMs)], activity: noTool };
}

function contentOf(fields: SessionLogFields, nowMs: number): SignalContent | string {
  const isError = fields['level'] === 'ERROR';
  const about = fields['requestID'];
  switch (fields['message']) {
    case 'loop':
      return step;
    case 'asking':
      return asking(fields);
    case 'replied':
      return claim('running', { about, covers: dialogs });
    case 'rejected':
      return claim('interrupted', { about, covers: dialogs });
    case 'exiting loop':
      return turnCompleted();
    case 'cancel':
      return turnInterrupted;
    case 'process':
      return isError ? failure(fields, nowMs) : 'a part of the turn';
    case 'stream error':
      return claim('running', { covers: work, reason: 'retrying' });
    default:
      return 'another line of the log';
  }
}

export const sessionLogLines: Normaliser = (raw, context) => {
  if (typeof raw !== 'string') return unknownSignal('no line of a log');
  const fields = parseLogLine(raw);
  const { message } = fields;
  const eventTimeMs = epochMs(fields['timestamp']);
  if (message === undefined || eventTimeMs === undefined)
    return unknownSignal('no line of the log');
  const content = contentOf(fields, context.nowMs);
  if (typeof content === 'string') return ignoredSignal(content);
  const lateContent = { ...content, claims: content.claims?.map(withoutCompletion) ?? [] };
  return buildSignal(`log:${message}`, lateContent, context, {
    sessionKey: fields['session.id'],
    eventTimeMs,
  });
};

/**
 * It is written up to a second late. A source that could see a completion and is silent would be
 * taken for an interruption (rule 7 of docs/laws.md), so this source does not cover completions.
 */
const withoutCompletion = ({ covers = everyState, ...claim }: ClaimDraft): ClaimDraft => ({
  ...claim,
  covers: covers.filter((state) => state !== 'completed'),
});
