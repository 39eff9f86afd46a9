// Runs a command of the user: a program with its arguments, as configured. What happened comes as
// variables and as JSON on its input; nothing of it becomes a part of the command.

import { basename } from 'node:path';
import { startChild } from '../../platform/process/child.ts';
import type { CommandConfig, IncludePart } from '../../schema/notify/notify-config.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import { notificationJson } from '../message/notification-json.ts';
import { notificationText, placeText } from '../message/notification-text.ts';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../message/notify-channel.ts';
import { exitReason } from './exit-reason.ts';

const RUN_MS = 30_000;
const OUTPUT_MAX = 4_096;

export interface CommandOptions {
  readonly name: string;
  readonly config: CommandConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tests need not wait as long. */
  readonly timeoutMs?: number;
}

export class CommandChannel implements NotifyChannel {
  readonly name: string;
  readonly kinds: readonly NotifyKind[];
  readonly include: readonly IncludePart[];
  readonly #options: CommandOptions;

  constructor(options: CommandOptions) {
    this.#options = options;
    this.name = options.name;
    this.kinds = options.config.kinds;
    this.include = options.config.include;
  }

  async deliver(
    notification: UserNotification,
    { deliveryId, signal }: DeliveryCall,
  ): Promise<DeliveryResult> {
    const { config, env, timeoutMs = RUN_MS } = this.#options;
    const [command = '', ...args] = config.run;
    if (signal.aborted) return failedResult('the daemon ends', true);
    let stderr = '';
    let timedOut = false;
    const child = startChild({
      command,
      args,
      env: { ...env, ...variablesOf(notification, deliveryId) },
      hasGroup: true,
      // Read, so that it is never blocked, and not kept.
      onStdout: () => {},
      onStderr: (bytes) => {
        stderr = (stderr + bytes).slice(-OUTPUT_MAX);
      },
      onExit: () => {},
    });
    child.write(`${JSON.stringify(notificationJson(notification, deliveryId))}\n`);
    child.endInput();
    const end = (): void => child.kill('SIGKILL');
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal.addEventListener('abort', end);
    const exit = await child.exited;
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
    if (exit.code === 0) return deliveredResult();
    return failedResult(exitReason(basename(command), { ...exit, stderr, timedOut }));
  }
}

function variablesOf(
  notification: UserNotification,
  deliveryId: string,
): Readonly<Record<string, string>> {
  const { items, isTest } = notification;
  const { headline, lines } = notificationText(notification);
  const [first] = items;
  // A digest is about several panes: those are in the JSON alone.
  const one = items.length === 1 && notification.moreCount === 0 ? first : undefined;
  const variables = {
    AGTMUX_NOTIFICATION: deliveryId,
    AGTMUX_TEST: isTest ? '1' : '',
    AGTMUX_HEADLINE: headline,
    AGTMUX_TEXT: lines.join('\n'),
    AGTMUX_COUNT: String(items.length + notification.moreCount),
    AGTMUX_KIND: one?.kind ?? '',
    AGTMUX_AGENT: one?.agent ?? '',
    AGTMUX_PLACE: one ? placeText(one) : '',
    AGTMUX_REF: one?.ref ?? '',
  };
  // No variable can hold a NUL.
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replaceAll('\0', '')]),
  );
}
