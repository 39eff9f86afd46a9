// The channels of a configuration, by name.

import type { NotifyConfig } from '../../schema/notify/notify-config.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import type { NotifyChannel } from '../message/notify-channel.ts';
import { CommandChannel } from './command.ts';
import { DesktopChannel } from './desktop.ts';
import { SoundChannel } from './sound.ts';
import { WebPushChannel, type WebPushOptions } from './web-push.ts';
import { WebhookChannel } from './webhook.ts';

export interface ChannelParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly onClick: (notification: UserNotification) => void;
  readonly push: Pick<WebPushOptions, 'subscriptions' | 'needCount'>;
}

/** Every channel that can be used, also those that are not switched on: for a test. */
export function openChannels(
  config: NotifyConfig,
  { env, platform, uid, onClick, push }: ChannelParts,
): ReadonlyMap<string, NotifyChannel & Partial<Disposable>> {
  const { sound: file, player, localInclude: include, pushContact: contact } = config;
  const channels: (NotifyChannel & Partial<Disposable>)[] = [
    new DesktopChannel({ env, platform, uid, include, onClick }),
    new WebPushChannel({ ...push, include, contact }),
    ...(file === '' ? [] : [new SoundChannel({ file, player, env })]),
    ...Object.entries(config.webhook).map(
      ([name, each]) => new WebhookChannel({ name, config: each, env }),
    ),
    ...Object.entries(config.command).map(
      ([name, each]) => new CommandChannel({ name, config: each, env }),
    ),
  ];
  return new Map(channels.map((each) => [each.name, each]));
}
