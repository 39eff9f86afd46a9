// Notifications for a daemon's inside: the real notifier and queue over its store, and channels
// that write down what they are given. Its time is the test's own, so that steps are made by hand.

import { type NotifyPortParts, notifyPort } from '../../src/daemon/ports/notify.ts';
import { pushPort } from '../../src/daemon/ports/push.ts';
import { WebPushChannel } from '../../src/notify/channels/web-push.ts';
import { deliveredResult, type NotifyChannel } from '../../src/notify/message/notify-channel.ts';
import { Notifier } from '../../src/notify/notifier.ts';
import { NotifyQueue } from '../../src/notify/notify-queue.ts';
import { PushSubscriptions } from '../../src/notify/push/push-subscriptions.ts';
import type { NotifyPort } from '../../src/operations/ports/notify-port.ts';
import type { PushPort } from '../../src/operations/ports/push-port.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import type { NotifyConfig } from '../../src/schema/notify/notify-config.ts';
import type { UserNotification } from '../../src/schema/notify/user-notification.ts';
import { attentionKinds } from '../../src/schema/state.ts';
import type { Store } from '../../src/store/store.ts';

export interface NotifyInside {
  readonly port: NotifyPort;
  readonly pushPort: PushPort;
  readonly push: PushSubscriptions;
  readonly notifier: Notifier;
  readonly sent: UserNotification[];
  config: NotifyConfig;
}

export function notifyInside(
  { store, pushFile }: { readonly store: Store; readonly pushFile: string },
  nowMs: () => number,
): NotifyInside {
  const sent: UserNotification[] = [];
  const channel: NotifyChannel = {
    name: 'desktop',
    kinds: attentionKinds,
    include: [],
    deliver: async (notification) => {
      sent.push(notification);
      return deliveredResult();
    },
  };
  const channels: ReadonlyMap<string, NotifyChannel> = new Map([['desktop', channel]]);
  const onFault = (error: unknown): void => {
    throw error;
  };
  const queue = new NotifyQueue({
    ...{ store: store.notify, nowMs, onFault },
    channel: (name) => channels.get(name),
  });
  const parts: Pick<NotifyInside, 'sent' | 'config'> = { sent, config: defaultConfig.notify };
  const notifier = new Notifier({
    ...{ store: store.notify, nowMs, onFault },
    wallOf: () => ({ day: 1, minute: 720 }),
    config: () => parts.config,
    workers: () => [],
    panes: () => [],
    contentOf: () => null,
    focused: () => new Set(),
    channels: () => channels,
    onDeliveries: (deliveries) => queue.add(deliveries),
  });
  notifier.begin();
  const portParts: NotifyPortParts = {
    ...{ notifier, queue, nowMs },
    channels: () => channels,
    store: store.notify,
    config: () => parts.config,
  };
  const push = new PushSubscriptions({ file: pushFile, nowMs });
  const pushChannel = new WebPushChannel({
    ...{ subscriptions: push, include: [], contact: 'mailto:a@example.com', needCount: () => 0 },
  });
  const pushParts = { subscriptions: push, channel: () => pushChannel, notifier, nowMs };
  const port = notifyPort(portParts);
  return Object.assign(parts, { notifier, port, push, pushPort: pushPort(pushParts) });
}
