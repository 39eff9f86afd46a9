// Codex's app-server as an observer sees it: notifications over its socket, and threads read on
// demand. A server that does not hold a thread calls it notLoaded and its running turn interrupted;
// neither says anything, nor does a thread without a status. Ephemeral threads are the hidden ones
// that make up titles.

import type { NormaliseContext, Normaliser, NormaliserResult } from '../adapter.ts';
import { everyState, restWithoutCompletion, work } from '../signals/coverage.ts';
import { failureClaim } from '../signals/failure.ts';
import {
  type Fields,
  fieldsAt,
  flagAt,
  idAt,
  listAt,
  numberAt,
  readFields,
  textAt,
} from '../signals/fields.ts';
import {
  buildSignal,
  claim,
  ignoredSignal,
  type SignalContent,
  unknownSignal,
} from '../signals/signal-content.ts';
import { turnCompleted, turnInterrupted } from '../signals/turn.ts';

/** A notification `{ method, params }`, or a thread as thread/list and thread/read give it. */
export const codexAppServer: Normaliser = (raw, context) => {
  const fields = readFields(raw);
  if (typeof fields === 'string') return unknownSignal(fields);
  const method = textAt(fields, 'method');
  if (method === undefined) return threadRead(fields, context);
  const params = fieldsAt(fields, 'params') ?? {};
  switch (method) {
    case 'thread/started':
      return threadRead(fieldsAt(params, 'thread') ?? {}, context);
    case 'thread/status/changed':
      return statusOf(params, context);
    case 'turn/started':
      return buildSignal(method, claim('running'), context, threadFacts(params));
    case 'turn/completed':
      return turnEnded(params, context);
    default:
      return ignoredSignal(`notification ${method.slice(0, 80)}`);
  }
};

function threadRead(thread: Fields, context: NormaliseContext): NormaliserResult {
  if (idAt(thread, 'id') === undefined) return unknownSignal('no thread');
  if (flagAt(thread, 'ephemeral')) return ignoredSignal('a hidden thread');
  return statusOf(thread, context);
}

function statusOf(fields: Fields, context: NormaliseContext): NormaliserResult {
  if (flagAt(fields, 'ephemeral')) return ignoredSignal('a hidden thread');
  const status = textAt(fields, 'status', 'status.type');
  if (status === undefined) return ignoredSignal('a thread without a status');
  const content = contentOf(status, fieldsAt(fields, 'status') ?? fields);
  if (typeof content === 'string') return ignoredSignal(content);
  if (content === null) return unknownSignal(`thread status ${status.slice(0, 80)}`);
  return buildSignal(`thread:${status}`, content, context, threadFacts(fields));
}

function contentOf(status: string, fields: Fields): SignalContent | string | null {
  switch (status) {
    case 'idle':
      return claim('at_rest', { covers: restWithoutCompletion });
    case 'active':
      return activeContent(listAt(fields, 'activeFlags'));
    case 'systemError':
      return claim('error', { reason: 'api_error' });
    case 'notLoaded':
      return 'a thread that this server does not hold';
    default:
      return null;
  }
}

function activeContent(flags: readonly unknown[]): SignalContent {
  const covers = [...work];
  if (flags.includes('waitingOnApproval')) {
    return claim('waiting_approval', {
      covers: [...covers, 'waiting_input'],
      request: { kind: 'approval' },
    });
  }
  if (flags.includes('waitingOnUserInput')) {
    return claim('waiting_input', {
      covers: [...covers, 'waiting_approval'],
      request: { kind: 'question' },
    });
  }
  return claim('running', { covers: everyState });
}

function turnEnded(params: Fields, context: NormaliseContext): NormaliserResult {
  const status = textAt(params, 'turn.status');
  const facts = threadFacts(params);
  if (status === 'completed') return buildSignal('turn:completed', turnCompleted(), context, facts);
  if (status === 'interrupted')
    return buildSignal('turn:interrupted', turnInterrupted, context, facts);
  if (status !== 'failed') return ignoredSignal(`a turn with status ${status ?? 'missing'}`);
  const failure = {
    code: textAt(params, 'turn.error.codexErrorInfo', 'turn.error.code'),
    message: textAt(params, 'turn.error.message'),
    status: numberAt(params, 'turn.error.httpStatusCode'),
  };
  return buildSignal(
    'turn:failed',
    { claims: [failureClaim(failure, context.nowMs)] },
    context,
    facts,
  );
}

const threadFacts = (fields: Fields) => ({
  sessionKey: idAt(fields, 'threadId', 'id', 'thread.id'),
});
