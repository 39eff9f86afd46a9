// A notification as programs get it: on the input of a command and in the body of a webhook. Texts
// are as they were read; JSON escapes what it must. Fields that the channel is not given are
// absent.

import type { NotificationItem, UserNotification } from '../../schema/notify/user-notification.ts';
import { withinCalendar } from '../../schema/shapes.ts';
import { notificationText } from './notification-text.ts';

export function notificationJson(notification: UserNotification, deliveryId: string) {
  const { items, moreCount, isTest, atMs } = notification;
  const { headline, lines } = notificationText(notification);
  return {
    schema_version: 1,
    id: deliveryId,
    at: isoOf(atMs),
    test: isTest,
    headline,
    text: lines.join('\n'),
    requests: items.map(requestJson),
    more: moreCount,
  };
}

function requestJson(item: NotificationItem) {
  const { title, request, prompt, message, path } = item;
  const texts = Object.entries({ title, request, prompt, message, path });
  return {
    kind: item.kind,
    since: isoOf(item.sinceMs),
    agent: item.agent,
    target: item.target,
    session: item.session,
    place: item.place,
    ref: item.ref,
    ...Object.fromEntries(texts.filter(([, text]) => text !== null)),
  };
}

const isoOf = (atMs: number): string => new Date(withinCalendar(atMs)).toISOString();
