// What a push message says to the page worker of the dashboard: a title, a text, which page it
// opens, and a tag, so that the same request is never shown twice. Pure.

import { createHash } from 'node:crypto';
import type { NotificationItem, UserNotification } from '../../schema/notify/user-notification.ts';
import { cutText, notificationText } from '../message/notification-text.ts';
import { PUSH_TEXT_BYTES_MAX } from './push-encryption.ts';

/** As much of the text as phones show; a character may take four bytes, and JSON two more. */
const BODY_LENGTH_MAX = 400;

export interface PushContent {
  readonly text: string;
  /** Names the request to the push service, which keeps only the last message of each. */
  readonly topic: string;
  readonly isUrgent: boolean;
}

export function pushContent(notification: UserNotification, needCount: number): PushContent {
  const { items, isTest, moreCount, number } = notification;
  const { headline, lines } = notificationText(notification);
  const [first] = items;
  const single = items.length === 1 && moreCount === 0 && !isTest && first ? first : null;
  const topic = single ? topicOf(single) : `n-${number}`;
  const content = {
    title: headline,
    body: lines.map((line) => cutText(line, BODY_LENGTH_MAX)).join('\n'),
    tag: topic,
    hash: single ? `#/pane/${encodeURIComponent(single.paneKey)}` : isTest ? '#/' : '#/inbox',
    count: needCount,
  };
  return {
    text: fitted(content),
    topic,
    isUrgent: isTest || items.some(({ kind }) => kind !== 'completion' && kind !== 'rule'),
  };
}

/** At most 32 characters that a header may have. The pane and the time tell requests apart. */
function topicOf({ paneKey, kind, sinceMs }: NotificationItem): string {
  const hash = createHash('sha256').update(JSON.stringify([paneKey, kind, sinceMs]));
  return hash.digest('base64url').slice(0, 24);
}

/** The text gives way: title and place are needed. */
function fitted(content: { readonly body: string; readonly [key: string]: unknown }): string {
  let { body } = content;
  for (;;) {
    const text = JSON.stringify({ ...content, body });
    if (Buffer.byteLength(text) <= PUSH_TEXT_BYTES_MAX || body === '') return text;
    body = cutText(body, Math.floor([...body].length / 2));
  }
}
