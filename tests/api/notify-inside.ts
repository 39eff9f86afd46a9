// Notifications for a daemon's inside: the real notifier and queue over its store, and channels
// that write down what they are given. Its time is the test's own, so that steps are made by hand.

import { type NotifyPortParts, notifyPort } from '../../src/daemon/ports/notify.ts';
import { deliveredResult, type NotifyChannel } from '../../src/notify/message/notify-channel.ts';
import { Notifier } from '../../src/notify/notifier.ts';
import { NotifyQueue } from '../../src/notify/notify-queue.ts';
import type { NotifyPort } from '../../src/operations/ports/notify-port.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import type { NotifyConfig } from '../../src/schema/notify/notify-config.ts';
import type { UserNotification } from '../../src/schema/notify/user-notification.ts';
import { attentionKinds } from '../../src/schema/state.ts';
import type { Store } from '../../src/store/store.ts';

export interface NotifyInside {
  readonly port: NotifyPort;
  readonly notifier: Notifier;
  readonly sent: UserNotification[];
  config: NotifyConfig;
}

export function notifyInside(store: Store, nowMs: () => number): NotifyInside {
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
  const parts: Omit<NotifyInside, 'port' | 'notifier'> = { sent, config: defaultConfig.notify };
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
  return Object.assign(parts, { notifier, port: notifyPort(portParts) });
}
