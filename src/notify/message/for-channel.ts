// What a channel is given of a notification: the requests that it is used for, and of each only
// what its configuration includes. Everything else stays on this machine. Pure.

import type { IncludePart } from '../../schema/notify/notify-config.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { NotificationItem, UserNotification } from '../../schema/notify/user-notification.ts';

interface ChannelLimits {
  readonly kinds: readonly NotifyKind[];
  readonly include: readonly IncludePart[];
}

/** Null where it has nothing for this channel. */
export function forChannel(
  notification: UserNotification,
  { kinds, include }: ChannelLimits,
): UserNotification | null {
  const items = notification.isTest
    ? notification.items
    : notification.items.filter(({ kind }) => kinds.includes(kind));
  if (items.length === 0) return null;
  return { ...notification, items: items.map((each) => included(each, include)) };
}

function included(item: NotificationItem, include: readonly IncludePart[]): NotificationItem {
  const only = (part: IncludePart): string | null => (include.includes(part) ? item[part] : null);
  return {
    ...item,
    title: only('title'),
    request: only('request'),
    prompt: only('prompt'),
    message: only('message'),
    path: only('path'),
  };
}
