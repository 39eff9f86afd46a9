// One POST request: without following a redirect, within a time, and with a bounded reply. What the
// reply means is for the channel that asks.

import type { IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';

/** Read so that the connection ends in order; more is of no interest. */
const REPLY_BYTES_MAX = 65_536;
/** A receiver cannot make us wait for longer. */
const RETRY_AFTER_MAX_MS = 900_000;

export type PostReply =
  | {
      readonly kind: 'reply';
      readonly status: number;
      /** How long the receiver asks us to wait; null where it does not say. */
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'none'; readonly problem: string };

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Which addresses a name has; absent: those that the system knows. */
  readonly lookup?: LookupFunction;
  /** The authorities that are trusted besides those of Node. */
  readonly ca?: string;
}

/** Never rejects. */
export async function httpPost(options: PostOptions): Promise<PostReply> {
  const { url, headers, body, signal, timeoutMs, lookup, ca } = options;
  // Loaded with the first request: TLS takes memory that few daemons need.
  const { request } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { promise, resolve } = Promise.withResolvers<PostReply>();
  const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const requestOptions: RequestOptions & { readonly ca?: string } = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    agent: false,
    signal: limits,
    ...(lookup ? { lookup } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  try {
    const sent = request(url, requestOptions, (response) => void readReply(response).then(resolve));
    sent.once('error', (error) => {
      const isLate = limits.aborted && !signal.aborted;
      const problem = isLate ? `no reply within ${timeoutMs / 1_000} s` : problemOf(error);
      resolve({ kind: 'none', problem });
    });
    sent.end(body);
  } catch (error) {
    // A header with a byte that HTTP does not allow.
    resolve({ kind: 'none', problem: problemOf(error) });
  }
  return promise;
}

/** Only the code: messages of Node name the address, which may hold a secret. */
const problemOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return `the request failed (${code ?? 'unknown error'})`;
};

async function readReply(response: IncomingMessage): Promise<PostReply> {
  const retryAfter = response.headers['retry-after'] ?? '';
  const seconds = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
  const reply: PostReply = {
    kind: 'reply',
    status: response.statusCode ?? 0,
    retryAfterMs: seconds === null ? null : Math.min(seconds * 1_000, RETRY_AFTER_MAX_MS),
  };
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > REPLY_BYTES_MAX) break;
    }
  } catch {
    // The status counts, whatever became of the rest.
  }
  response.destroy();
  return reply;
}
