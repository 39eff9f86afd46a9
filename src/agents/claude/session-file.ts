// Claude Code's session file, `~/.claude/sessions/<pid>.json`: rewritten at each change, the best
// signal there is, and undocumented. It says `idle` for turns that finished, were interrupted or
// failed, so it ends no error and never reports a completion. A killed agent leaves it at `busy`:
// whether the process lives is asked of the process (pid and procStart), not here.

import type { NormaliseContext, Normaliser, NormaliserResult } from '../adapter.ts';
import { everyState, restWithoutCompletion, work } from '../signals/coverage.ts';
import { timeAt } from '../signals/event-time.ts';
import { type Fields, idAt, numberAt, readFields, textAt } from '../signals/fields.ts';
import {
  buildSignal,
  type ClaimDraft,
  type SignalContent,
  unknownSignal,
} from '../signals/signal-content.ts';

/** From here on `waitingFor` calls questions `input needed`; 2.1.148 did not. */
const TELLS_QUESTIONS = [2, 1, 250] as const;

const approvals = new Set(['permission prompt', 'sandbox request', 'worker request']);

export const claudeSessionFile: Normaliser = (raw, context) => {
  const fields = readFields(raw);
  if (typeof fields === 'string') return unknownSignal(fields);
  const status = textAt(fields, 'status');
  if (status === undefined) return withoutStatus(fields, context);
  const content =
    isOfNewSession(fields, context) && status === 'idle'
      ? beginning(textAt(fields, 'name'))
      : contentOf(status, fields);
  if (content === null) return unknownSignal(`status ${status.slice(0, 80)}`);
  return buildSignal(`status:${status}`, content, context, factsOf(fields));
};

/** `/clear` and `/resume`: the same process goes on with another session. */
function isOfNewSession(fields: Fields, { previous }: NormaliseContext): boolean {
  const before = readFields(previous);
  const sessionId = typeof before === 'string' ? undefined : idAt(before, 'sessionId');
  return sessionId !== undefined && sessionId !== idAt(fields, 'sessionId');
}

const beginning = (title: string | undefined): SignalContent => ({
  claims: [{ says: 'began', covers: [...restWithoutCompletion, 'error'] }],
  activity: { title, backgroundCount: 0, tool: null },
});

/** The file is there 0.1 to 0.3 s before its status is, and in old versions without one. */
function withoutStatus(fields: Fields, context: NormaliseContext): NormaliserResult {
  const isSessionFile = idAt(fields, 'sessionId') !== undefined && numberAt(fields, 'pid');
  if (!isSessionFile) return unknownSignal('no session file');
  return buildSignal('status:none', {}, context, factsOf(fields));
}

function contentOf(status: string, fields: Fields): SignalContent | null {
  const title = textAt(fields, 'name');
  switch (status) {
    case 'busy':
      return { claims: [{ says: 'running', covers: everyState }], activity: { title } };
    case 'idle':
      return resting(title, 0);
    case 'shell':
      // At least one; the hooks report how many.
      return resting(title, 1);
    case 'waiting':
      return { claims: [waiting(fields)], activity: { title } };
    default:
      return null;
  }
}

const resting = (title: string | undefined, backgroundCount: number): SignalContent => ({
  claims: [{ says: 'at_rest', covers: restWithoutCompletion }],
  activity: { title, backgroundCount, tool: null },
});

/** A dialog of unknown kind is waiting_input, the weaker claim: a source that knows better wins. */
function waiting(fields: Fields): ClaimDraft {
  const kind = textAt(fields, 'waitingFor');
  const covers = [...work, 'waiting_approval'] as const;
  if (kind === 'dialog open') return { says: 'waiting_input', covers, reason: 'dialog_open' };
  if (kind === 'input needed') {
    return { says: 'waiting_input', covers, request: { kind: 'question' } };
  }
  if (kind !== undefined && approvals.has(kind) && tellsQuestions(textAt(fields, 'version'))) {
    return {
      says: 'waiting_approval',
      covers: [...work, 'waiting_input'],
      request: { kind: 'approval' },
    };
  }
  return { says: 'waiting_input', covers: work };
}

/** A file without a version is taken for one of today. */
function tellsQuestions(version: string | undefined): boolean {
  const found = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version ?? '');
  if (found === null) return true;
  const numbers = found.slice(1).map(Number);
  const index = numbers.findIndex((number, place) => number !== TELLS_QUESTIONS[place]);
  return index === -1 || (numbers[index] ?? 0) > (TELLS_QUESTIONS[index] ?? 0);
}

function factsOf(fields: Fields) {
  const sessionKey = idAt(fields, 'sessionId');
  const pid = numberAt(fields, 'pid');
  const isPid = pid !== undefined && Number.isSafeInteger(pid) && pid > 0;
  // "session:@window.%pane", from the environment that the agent was started in.
  const paneId = /(%\d{1,9})$/.exec(textAt(fields, 'tmux') ?? '')?.[1];
  return {
    sessionKey,
    eventTimeMs: timeAt(fields, 'statusUpdatedAt', 'updatedAt'),
    bind: { ...(isPid ? { pid } : {}), ...(paneId === undefined ? {} : { paneId }) },
  };
}
