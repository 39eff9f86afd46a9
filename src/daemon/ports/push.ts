// The port of push messages to browsers, over the subscriptions and their channel; with it the port
// of notifications, which they are part of.

import type { WebPushChannel } from '../../notify/channels/web-push.ts';
import { forChannel } from '../../notify/message/for-channel.ts';
import type { Notifier } from '../../notify/notifier.ts';
import { deliveryIdOf } from '../../notify/notify-queue.ts';
import type { PushSubscription, PushSubscriptions } from '../../notify/push/push-subscriptions.ts';
import type { Ports } from '../../operations/ports/ports.ts';
import type { PushPort, PushReport } from '../../operations/ports/push-port.ts';
import { ok } from '../../schema/outcome.ts';
import { type NotifyPortParts, notifyPort } from './notify.ts';

export interface PushPortParts {
  readonly subscriptions: PushSubscriptions;
  /** Null while notifications begin. */
  readonly channel: () => WebPushChannel | null;
  readonly notifier: Pick<Notifier, 'test'>;
  readonly nowMs: () => number;
}

export interface NotifyPortsParts extends NotifyPortParts {
  readonly push: PushSubscriptions;
  readonly pushChannel: PushPortParts['channel'];
}

export const notifyPorts = (parts: NotifyPortsParts): Pick<Ports, 'notify' | 'push'> => ({
  notify: notifyPort(parts),
  push: pushPort({ ...parts, subscriptions: parts.push, channel: parts.pushChannel }),
});

export function pushPort({ subscriptions, channel, notifier, nowMs }: PushPortParts): PushPort {
  const reportOf = (each: PushSubscription): PushReport => ({
    ...each,
    last: subscriptions.lastOf(each.id),
  });
  return {
    publicKey: () => subscriptions.keys.publicKey,
    list: () => subscriptions.all.map(reportOf),
    add: (given) => {
      const added = subscriptions.add(given);
      return added.ok ? ok(reportOf(added.value)) : added;
    },
    remove: (subscriptionId) => subscriptions.remove(subscriptionId),
    test: async (subscriptionId, signal) => {
      const found = subscriptions.all.find(({ id }) => id === subscriptionId);
      const open = channel();
      if (!found) return null;
      if (!open) return { delivered: false, detail: 'the daemon is starting' };
      const notification = notifier.test(false);
      const shown = forChannel(notification, open) ?? notification;
      const call = { nowMs: nowMs(), deliveryId: deliveryIdOf(notification), signal };
      const { kind, detail } = await open.deliverTo(found, shown, call);
      return { delivered: kind === 'delivered', detail };
    },
  };
}
