// Posts a notification to a webhook: one request, without following a redirect, within a time, and
// with a bounded reply. What the reply means for another attempt is decided here; the waiting is
// notify-queue.ts.

import type { IncomingMessage, RequestOptions } from 'node:http';
import type { IncludePart, WebhookConfig } from '../../schema/notify/notify-config.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../message/notify-channel.ts';
import { readSecret } from './secret.ts';
import { type WebhookAccess, type WebhookRequest, webhookRequest } from './webhook-request.ts';

const REQUEST_MS = 10_000;
/** Read so that the connection ends in order; more is of no interest. */
const REPLY_BYTES_MAX = 65_536;
/** A receiver cannot make us wait for longer. */
const RETRY_AFTER_MAX_MS = 900_000;
/** Of the refusals, these may pass. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export interface WebhookOptions {
  readonly name: string;
  readonly config: WebhookConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tests need not wait as long. */
  readonly timeoutMs?: number;
}

type Reply =
  | { readonly kind: 'reply'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'none'; readonly problem: string };

export class WebhookChannel implements NotifyChannel {
  readonly name: string;
  readonly kinds: readonly NotifyKind[];
  readonly include: readonly IncludePart[];
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.name = options.name;
    this.kinds = options.config.kinds;
    this.include = options.config.include;
  }

  async deliver(notification: UserNotification, call: DeliveryCall): Promise<DeliveryResult> {
    const access = this.#access();
    if (typeof access === 'string') return failedResult(access);
    const request = webhookRequest(notification, access, call);
    const url = URL.parse(request.url);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return failedResult('the url is not one that begins with https:// or http://');
    }
    const reply = await this.#post(url, request, call.signal);
    return reply.kind === 'none' ? failedResult(reply.problem, true) : resultOf(reply);
  }

  /** The secrets of now, or what is wrong with one. */
  #access(): WebhookAccess | string {
    const { config, env } = this.#options;
    const url = readSecret(config.url, 'url', env);
    const token = readSecret(config.token, 'token', env);
    const secret = readSecret(config.secret, 'secret', env);
    for (const each of [url, token, secret]) if (!each.ok) return each.problem;
    if (!url.ok || !token.ok || !secret.ok) return 'a secret cannot be read';
    const { preset, chat } = config;
    return { preset, chat, url: url.value, token: token.value, secret: secret.value };
  }

  async #post(url: URL, { headers, body }: WebhookRequest, signal: AbortSignal): Promise<Reply> {
    // Loaded with the first request: TLS takes memory that few daemons need.
    const { request } =
      url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const { timeoutMs = REQUEST_MS } = this.#options;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal: limits,
    };
    try {
      const sent = request(url, options, (response) => void readReply(response).then(resolve));
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
}

/** Only the code: messages of Node name the address, which may hold a secret. */
const problemOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return `the request failed (${code ?? 'unknown error'})`;
};

async function readReply(response: IncomingMessage): Promise<Reply> {
  const reply: Reply = {
    kind: 'reply',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
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

function resultOf({ status, retryAfter }: Extract<Reply, { kind: 'reply' }>): DeliveryResult {
  if (status >= 200 && status < 300) return deliveredResult(`status ${status}`);
  if (status >= 300 && status < 400) {
    return failedResult(
      `status ${status}: agtmux follows no redirect; configure the final address`,
    );
  }
  const result = failedResult(`status ${status}`, status >= 500 || PASSING.has(status));
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : null;
  if (result.kind !== 'failed' || !result.mayRetry || seconds === null) return result;
  return { ...result, retryAfterMs: Math.min(seconds * 1_000, RETRY_AFTER_MAX_MS) };
}
