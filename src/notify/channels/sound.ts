// Plays a sound file by the player that is configured, or the first that is installed.

import { basename } from 'node:path';
import { findProgram } from '../../platform/files/find-program.ts';
import { runChild } from '../../platform/process/launch.ts';
import { notifyKinds } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../message/notify-channel.ts';
import { exitReason } from './exit-reason.ts';

/** A sound that goes on for longer is no notification. */
const PLAY_MS = 15_000;
const OUTPUT_MAX = 4_096;

const players: readonly (readonly string[])[] = [
  ['afplay'],
  ['pw-play'],
  ['paplay'],
  ['aplay', '-q'],
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error'],
  ['mpv', '--no-video', '--really-quiet'],
];

export interface SoundOptions {
  readonly file: string;
  /** Empty: one that is installed. */
  readonly player: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class SoundChannel implements NotifyChannel {
  readonly name = 'sound';
  readonly kinds = notifyKinds;
  readonly include = [];
  readonly #options: SoundOptions;

  constructor(options: SoundOptions) {
    this.#options = options;
  }

  async deliver(_: UserNotification, { signal }: DeliveryCall): Promise<DeliveryResult> {
    const { file, player, env } = this.#options;
    const found = player.length > 0 ? player : installedPlayer(env['PATH']);
    const [command, ...args] = found ?? [];
    if (command === undefined) {
      return failedResult(`no player is installed; [notify] player names one`);
    }
    const result = await runChild({
      command,
      args: [...args, file],
      env: { ...env },
      timeoutMs: PLAY_MS,
      stdoutBytesMax: OUTPUT_MAX,
      signal,
    });
    // A sound that played for fifteen seconds was audible.
    if (result.code === 0 || result.timedOut) return deliveredResult();
    return failedResult(exitReason(basename(command), result));
  }
}

const installedPlayer = (path: string | undefined): readonly string[] | undefined =>
  players.find(([name = '']) => findProgram(name, path) !== null);
