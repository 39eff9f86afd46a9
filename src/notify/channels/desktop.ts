// The desktop's own notifications: notify-send on Linux and BSD, osascript on macOS. Both are run
// by arguments, never by a line of shell. Where notify-send can, the notification has a button, and
// the process waits for it; so many wait at most.

import { accessSync } from 'node:fs';
import { findProgram } from '../../platform/files/find-program.ts';
import { type Child, startChild } from '../../platform/process/child.ts';
import { runChild } from '../../platform/process/launch.ts';
import type { IncludePart } from '../../schema/notify/notify-config.ts';
import { notifyKinds } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import { markupText } from '../message/escape.ts';
import { type NotificationText, notificationText } from '../message/notification-text.ts';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../message/notify-channel.ts';
import { exitReason } from './exit-reason.ts';

const SHOW_MS = 10_000;
/** Notifications whose button may still be pressed; the process of an older one is ended. */
const WAITING_MAX = 8;
const OUTPUT_MAX = 4_096;
const ATTACH = 'attach';
/** The id of what is shown; without a bus it prints 0. */
const SHOWN = /^[1-9]\d*\n/;

export interface DesktopOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly include: readonly IncludePart[];
  /** The button of a notification was pressed. */
  readonly onClick: (notification: UserNotification) => void;
}

export class DesktopChannel implements NotifyChannel, Disposable {
  readonly name = 'desktop';
  readonly kinds = notifyKinds;
  readonly include: readonly IncludePart[];
  readonly #options: DesktopOptions;
  readonly #waiting: Child[] = [];
  /** An older notify-send knows no buttons. */
  #hasButtons = true;

  constructor(options: DesktopOptions) {
    this.#options = options;
    this.include = options.include;
  }

  async deliver(notification: UserNotification, call: DeliveryCall): Promise<DeliveryResult> {
    const { platform, env } = this.#options;
    const text = notificationText(notification);
    if (platform === 'darwin') return this.#byAppleScript(text, call);
    const program = findProgram('notify-send', env['PATH']);
    if (program === null)
      return failedResult('notify-send is not installed (Debian: libnotify-bin)');
    // notify-send prints the id of what it shows into a buffer, and then waits for the button.
    const unbuffer = findProgram('stdbuf', env['PATH']);
    if (!this.#hasButtons || unbuffer === null) return this.#plainly(program, text, call);
    const result = await this.#withButton([unbuffer, '-oL', program], notification, text);
    if (result !== 'unknown option') return result;
    this.#hasButtons = false;
    return this.#plainly(program, text, call);
  }

  #environment(): NodeJS.ProcessEnv {
    const { env, uid } = this.#options;
    if (env['DBUS_SESSION_BUS_ADDRESS']) return { ...env };
    // A daemon that was started over ssh has no such variable, and the bus may be there.
    const socket = `${env['XDG_RUNTIME_DIR'] ?? `/run/user/${uid}`}/bus`;
    return exists(socket)
      ? { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }
      : { ...env };
  }

  /** Resolves when it is shown; its process waits on. */
  #withButton(
    [command = '', ...words]: readonly string[],
    notification: UserNotification,
    text: NotificationText,
  ): Promise<DeliveryResult | 'unknown option'> {
    const { promise, resolve } = Promise.withResolvers<DeliveryResult | 'unknown option'>();
    let stdout = '';
    let stderr = '';
    let isClicked = false;
    const button = ['--print-id', `--action=${ATTACH}=Show`];
    const child = startChild({
      command,
      args: [...words, ...button, ...argumentsOf(text)],
      env: this.#environment(),
      isTethered: true,
      onStdout: (bytes) => {
        stdout = (stdout + bytes).slice(0, OUTPUT_MAX);
        if (SHOWN.test(stdout)) resolve(deliveredResult());
        if (isClicked || !stdout.endsWith(`\n${ATTACH}\n`)) return;
        isClicked = true;
        this.#options.onClick(notification);
      },
      onStderr: (bytes) => {
        stderr = (stderr + bytes).slice(-OUTPUT_MAX);
      },
      onExit: ({ code, error }) => {
        clearTimeout(timer);
        this.#forget(child);
        if (/unknown option/i.test(stderr)) resolve('unknown option');
        else if (code === 0) resolve(deliveredResult());
        else resolve(failedResult(exitReason('notify-send', { code, error, stderr })));
      },
    });
    const timer = setTimeout(() => {
      if (SHOWN.test(stdout)) return;
      // Nobody knows whether it is on the screen.
      resolve(failedResult(`notify-send gave no answer within ${SHOW_MS / 1_000} s`));
      child.kill('SIGKILL');
    }, SHOW_MS);
    child.endInput();
    this.#keep(child);
    return promise;
  }

  #keep(child: Child): void {
    this.#waiting.push(child);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift()?.kill('SIGTERM');
  }

  #forget(child: Child): void {
    const at = this.#waiting.indexOf(child);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  async #plainly(
    command: string,
    text: NotificationText,
    { signal }: DeliveryCall,
  ): Promise<DeliveryResult> {
    const args = argumentsOf(text);
    const limits = { timeoutMs: SHOW_MS, stdoutBytesMax: OUTPUT_MAX, signal };
    const result = await runChild({ command, args, env: this.#environment(), ...limits });
    return result.code === 0 ? deliveredResult() : failedResult(exitReason('notify-send', result));
  }

  async #byAppleScript(text: NotificationText, { signal }: DeliveryCall): Promise<DeliveryResult> {
    const command = findProgram('osascript', this.#options.env['PATH']);
    if (command === null) return failedResult('osascript is not on PATH');
    const limits = { timeoutMs: SHOW_MS, stdoutBytesMax: OUTPUT_MAX, signal };
    const args = [...appleScript, '--', text.headline, text.lines.join('\n')];
    const result = await runChild({ command, args, env: { ...this.#options.env }, ...limits });
    return result.code === 0 ? deliveredResult() : failedResult(exitReason('osascript', result));
  }

  [Symbol.dispose](): void {
    for (const child of this.#waiting.splice(0)) child.kill('SIGTERM');
  }
}

/** The texts come as arguments: they are never part of the script. */
const appleScript: readonly string[] = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

function argumentsOf({ headline, lines }: NotificationText): readonly string[] {
  return ['--app-name=agtmux', '--', headline, lines.map(markupText).join('\n')];
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
