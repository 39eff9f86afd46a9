// The port of notifications: what the notifier knows, and tests of its channels.

import { randomBytes } from 'node:crypto';
import { forChannel } from '../../notify/message/for-channel.ts';
import { notificationText } from '../../notify/message/notification-text.ts';
import type { NotifyChannel } from '../../notify/message/notify-channel.ts';
import type { Notifier } from '../../notify/notifier.ts';
import { deliveryIdOf, type NotifyQueue } from '../../notify/notify-queue.ts';
import { configMutes, storedMutes } from '../../notify/rules.ts';
import type { NotifyPort, NotifyReport } from '../../operations/ports/notify-port.ts';
import type { NotifyConfig } from '../../schema/notify/notify-config.ts';
import { notifyKinds } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import type { NotifyTable } from '../../store/tables/notify.ts';

/** Terminals in which `agtmux notify listen` runs, as a channel to test. */
const TERMINAL = 'terminal';

export interface NotifyPortParts {
  readonly notifier: Notifier;
  readonly queue: Pick<NotifyQueue, 'last'>;
  readonly channels: () => ReadonlyMap<string, NotifyChannel>;
  readonly store: NotifyTable;
  readonly config: () => NotifyConfig;
  readonly nowMs: () => number;
}

export function notifyPort(parts: NotifyPortParts): NotifyPort {
  const { notifier, store } = parts;
  let listenerCount = 0;
  return {
    status: () => statusOf(parts, listenerCount),
    switchOn: (isOn) => notifier.switchOn(isOn),
    mute: (rule) => notifier.mute({ ...rule, muteId: randomBytes(3).toString('hex') }),
    unmute: (muteId) => notifier.unmute(muteId).length,
    test: (channel, signal) => testChannels(parts, { channel, listenerCount, signal }),
    log: (limit) => store.log(limit),
    lastNumber: () => notifier.memory.sentCount,
    notificationsAfter: (number) =>
      store.notificationsAfter(number).flatMap((each) => terminalItem(each, parts.config())),
    onNotification: (listener) => {
      const listening = notifier.onNotification(listener);
      listenerCount += 1;
      return {
        [Symbol.dispose]: () => {
          listenerCount -= 1;
          listening[Symbol.dispose]();
        },
      };
    },
  };
}

function statusOf(parts: NotifyPortParts, listenerCount: number): NotifyReport {
  const { notifier, queue, channels, config, nowMs } = parts;
  const used = config().channels;
  return {
    isOn: notifier.isOn,
    isSwitched: notifier.memory.isOn !== null,
    channels: [...channels().keys()].map((name) => ({
      name,
      isUsed: used.includes(name),
      last: queue.last.get(name) ?? null,
    })),
    listenerCount,
    pending: notifier.episodes
      .filter(({ status }) => status === 'pending')
      .map(({ subject, kind, sinceMs, wait }) => ({
        agent: subject.agent,
        place: subject.sessions[0] ?? subject.target,
        ...{ kind, sinceMs, wait },
      })),
    mutes: [
      ...storedMutes(notifier.memory.mutes, nowMs()),
      ...configMutes(config()).map((rule) => ({ ...rule, muteId: null })),
    ],
  };
}

function terminalItem(notification: UserNotification, config: NotifyConfig) {
  if (!notification.isForTerminals) return [];
  const shown = forChannel(notification, { kinds: notifyKinds, include: config.localInclude });
  if (shown === null) return [];
  const { number, atMs, isTest: test, items } = shown;
  const refs = items.map(({ ref }) => ref).filter((ref) => ref !== '');
  return [{ number, atMs, test, ...notificationText(shown), refs }];
}

async function testChannels(
  { notifier, channels, config, nowMs }: NotifyPortParts,
  {
    channel,
    listenerCount,
    signal,
  }: {
    readonly channel: string | null;
    readonly listenerCount: number;
    readonly signal: AbortSignal;
  },
) {
  const names = channel === null ? config().channels : [channel];
  const tested = names.flatMap((name) => channels().get(name) ?? []);
  const isForTerminals = channel === null || channel === TERMINAL;
  const notification = notifier.test(isForTerminals);
  const call = { nowMs: nowMs(), deliveryId: deliveryIdOf(notification), signal };
  const results = await Promise.all(
    tested.map(async (each) => {
      const shown = forChannel(notification, each) ?? notification;
      const { kind, detail } = await each.deliver(shown, call);
      return { channel: each.name, delivered: kind === 'delivered', detail };
    }),
  );
  const terminals = {
    channel: TERMINAL,
    delivered: listenerCount > 0,
    detail: listenerCount > 0 ? null : 'agtmux notify listen runs in no terminal',
  };
  // Nobody has to listen: it is only reported as failed where it was asked for.
  return isForTerminals && (channel === TERMINAL || listenerCount > 0)
    ? [...results, terminals]
    : results;
}
