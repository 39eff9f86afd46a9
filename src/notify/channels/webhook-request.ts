// What is posted to a webhook in the format of its preset, as data. Texts that agents have written
// are escaped for the receiver; the signature covers the time and the body. Nothing is sent here.

import { createHmac } from 'node:crypto';
import type { WebhookPreset } from '../../schema/notify/notify-config.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import { headerText, slackText } from '../message/escape.ts';
import { notificationJson } from '../message/notification-json.ts';
import { notificationText } from '../message/notification-text.ts';

const TELEGRAM_API = 'https://api.telegram.org';
/** As long as Telegram takes one, with room for the name of the agent. */
const TELEGRAM_TEXT_MAX = 4_000;

export interface WebhookAccess {
  readonly preset: WebhookPreset;
  readonly url: string;
  readonly token: string;
  readonly chat: string;
  /** Empty: the request is not signed. */
  readonly secret: string;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function webhookRequest(
  notification: UserNotification,
  access: WebhookAccess,
  { deliveryId, nowMs }: { readonly deliveryId: string; readonly nowMs: number },
): WebhookRequest {
  const request = presetRequest(notification, access, deliveryId);
  return {
    ...request,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'agtmux',
      'agtmux-delivery': deliveryId,
      ...request.headers,
      ...(access.secret === ''
        ? {}
        : { 'agtmux-signature': signature(request.body, access, nowMs) }),
    },
  };
}

/** `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>">`: an old request cannot be replayed. */
function signature(body: string, { secret }: WebhookAccess, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${hash}`;
}

function presetRequest(
  notification: UserNotification,
  access: WebhookAccess,
  deliveryId: string,
): WebhookRequest {
  const { headline, lines } = notificationText(notification);
  const { preset, url, token, chat } = access;
  const plain = [headline, ...lines].join('\n');
  switch (preset) {
    case 'json':
      return { url, headers: {}, body: JSON.stringify(notificationJson(notification, deliveryId)) };
    case 'ntfy':
      return {
        url,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          title: headerText(headline),
          tags: 'robot',
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        },
        body: lines.join('\n') || headline,
      };
    case 'slack': {
      // A block of plain text has no markup; `text` is what a phone shows of it, and has some.
      const block = { type: 'section', text: { type: 'plain_text', text: plain, emoji: false } };
      const body = { text: slackText(plain), mrkdwn: false, blocks: [block] };
      return { url, headers: {}, body: JSON.stringify(body) };
    }
    case 'telegram': {
      // Without parse_mode it is plain text.
      const text = plain.slice(0, TELEGRAM_TEXT_MAX);
      const message = { chat_id: chat, text, link_preview_options: { is_disabled: true } };
      const base = (url === '' ? TELEGRAM_API : url).replace(/\/+$/, '');
      return { url: `${base}/bot${token}/sendMessage`, headers: {}, body: JSON.stringify(message) };
    }
  }
}
