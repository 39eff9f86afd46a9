// Posts a notification to a webhook. What the reply means for another attempt is decided here; the
// request is http-post.ts, the waiting is notify-queue.ts.

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
import { httpPost, type PostReply } from './http-post.ts';
import { readSecret } from './secret.ts';
import { type WebhookAccess, webhookRequest } from './webhook-request.ts';

const REQUEST_MS = 10_000;
/** Of the refusals, these may pass. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export interface WebhookOptions {
  readonly name: string;
  readonly config: WebhookConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tests need not wait as long. */
  readonly timeoutMs?: number;
}

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
    const { headers, body } = request;
    const { timeoutMs = REQUEST_MS } = this.#options;
    const reply = await httpPost({ url, headers, body, signal: call.signal, timeoutMs });
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
}

function resultOf({ status, retryAfterMs }: Extract<PostReply, { kind: 'reply' }>): DeliveryResult {
  if (status >= 200 && status < 300) return deliveredResult(`status ${status}`);
  if (status >= 300 && status < 400) {
    return failedResult(
      `status ${status}: agtmux follows no redirect; configure the final address`,
    );
  }
  const result = failedResult(`status ${status}`, status >= 500 || PASSING.has(status));
  if (result.kind !== 'failed' || !result.mayRetry || retryAfterMs === null) return result;
  return { ...result, retryAfterMs };
}
