// Notifications for tests of channels, with the texts that a hostile agent would write.

import { forChannel } from '../../src/notify/message/for-channel.ts';
import type {
  DeliveryCall,
  DeliveryResult,
  NotifyChannel,
} from '../../src/notify/message/notify-channel.ts';
import type {
  NotificationItem,
  UserNotification,
} from '../../src/schema/notify/user-notification.ts';

export const AT_MS = Date.UTC(2026, 6, 1, 12);

/** ESC, BEL, C1, bidi, markup, escapes of notify-send, Slack, shell and JSON, all in one title. */
export const HOSTILE =
  '\u001b]0;owned\u0007<b>bold</b> & <!channel> \\074i\\076 `id` $(id) "quote" \u202edlrow ' +
  '\u009b31mred\nsecond; line *star* @here \u001b\\end';

export function item(changes: Partial<NotificationItem> = {}): NotificationItem {
  return {
    paneKey: 'local//tmp/tmux-0/default/1:2/%3/4:5',
    ref: 'work:0.1',
    agent: 'claude',
    target: 'local',
    session: 'work',
    place: 'work:0.1',
    kind: 'approval',
    sinceMs: AT_MS,
    title: 'fix the parser',
    request: 'Bash: rm -r build',
    prompt: 'the whole prompt',
    message: 'the last words',
    path: '/home/dev/secret-project',
    ...changes,
  };
}

export const notification = (
  items: readonly NotificationItem[] = [item()],
  changes: Partial<UserNotification> = {},
): UserNotification => ({
  number: 7,
  atMs: AT_MS,
  isTest: false,
  isForTerminals: true,
  items: [...items],
  moreCount: 0,
  ...changes,
});

export const call = (changes: Partial<DeliveryCall> = {}): DeliveryCall => ({
  nowMs: AT_MS,
  deliveryId: `${AT_MS}-7`,
  signal: new AbortController().signal,
  ...changes,
});

/** One attempt, with what the channel may be told, as the queue makes it. */
export async function deliver(
  channel: NotifyChannel,
  shown: UserNotification = notification(),
): Promise<DeliveryResult> {
  const included = forChannel(shown, channel);
  if (included === null) throw new Error('the channel is not used for this');
  return channel.deliver(included, call());
}
