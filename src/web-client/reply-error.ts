// What a call of the web service rejects with: the refusal in its reply, or that nobody answers.

import { DaemonError } from '../client/daemon-error.ts';

const UNAVAILABLE = -32010;

interface ErrorFields {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: { readonly code?: unknown; readonly hint?: unknown };
}

/** Foreign: another version of the service may send other fields. */
export function replyError(error: unknown): DaemonError {
  const { code, message, data } = (error ?? {}) as ErrorFields;
  return new DaemonError({
    code: typeof data?.code === 'string' ? data.code : 'protocol_desync',
    rpcCode: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'the daemon refused',
    hint: typeof data?.hint === 'string' ? data.hint : null,
  });
}

export const lateError = (method: string, timeoutMs: number): DaemonError =>
  new DaemonError({
    code: 'timeout',
    rpcCode: UNAVAILABLE,
    message: `${method}: no answer in ${timeoutMs} ms`,
  });

export const notConnected = (): DaemonError =>
  new DaemonError({
    code: 'E_DAEMON_DOWN',
    rpcCode: UNAVAILABLE,
    message: 'the web service does not answer',
    hint: 'Start it with agtmux web on its machine.',
  });

/** The service answered the request to connect, with no. */
export const notAdmitted = (status: number): DaemonError =>
  new DaemonError({
    code: 'E_NOT_PERMITTED',
    rpcCode: -32003,
    message:
      status === 429
        ? 'too many wrong tokens came from this address; wait a minute'
        : 'the web service does not let this client in',
    hint: 'Pair this browser, or name a token that holds.',
  });
