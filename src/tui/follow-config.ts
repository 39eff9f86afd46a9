// Follows the [tui] section of config.toml while the view runs. The daemon reads and checks the
// file; here a change of it is only noticed, and the daemon is asked until it has read it too.
// Loaded after the first picture.

import { basename, dirname } from 'node:path';
import { FollowedFolders } from '../platform/files/followed-folders.ts';
import type { ConfigStatus } from '../schema/api/health.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 200;
const POLL_MS = 400;
const POLLS_MAX = 10;

export type TuiConfig = ConfigStatus['in_force']['tui'];

export interface FollowConfigOptions {
  readonly file: string;
  /** What is in force; null when the daemon does not answer. */
  readonly read: () => Promise<TuiConfig | null>;
  readonly onConfig: (config: TuiConfig) => void;
}

export class ConfigFollower implements Disposable {
  readonly #options: FollowConfigOptions;
  readonly #folders: FollowedFolders;
  #isStopped = false;
  #lastText = '';

  constructor(options: FollowConfigOptions) {
    this.#options = options;
    this.#folders = new FollowedFolders({
      settleMs: SETTLE_MS,
      onChange: () => void this.#readUntilChanged(),
    });
    const { file } = options;
    this.#folders.follow(dirname(file), { isWanted: (name) => name === basename(file) });
    void this.refresh();
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#folders[Symbol.dispose]();
  }

  /** Reads what is in force; whether it is another than before. */
  async refresh(): Promise<boolean> {
    const config = await this.#options.read();
    if (config === null || this.#isStopped) return false;
    const text = JSON.stringify(config);
    if (text === this.#lastText) return false;
    this.#lastText = text;
    this.#options.onConfig(config);
    return true;
  }

  async #readUntilChanged(): Promise<void> {
    for (let poll = 0; poll < POLLS_MAX && !this.#isStopped; poll += 1) {
      if (await this.refresh()) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
    }
  }
}
