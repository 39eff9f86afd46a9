// A watch of one file or folder of this machine, which may not exist yet. A file is watched through
// its folder, because a replaced file is a new inode; where the folder is missing, the nearest
// existing one is watched. Where the system has no watch left, it polls.

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** How often it polls and tries a real watch again. */
const POLL_MS = 1_000;

export class LocalWatch implements Disposable {
  readonly #path: string;
  readonly #onChange: () => void;
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isEnded = false;

  constructor(path: string, onChange: () => void) {
    this.#path = path;
    this.#onChange = onChange;
    void this.#arm();
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#watcher?.close();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #arm(): Promise<void> {
    const { isFolder } = await whatIs(this.#path);
    if (this.#isEnded) return;
    this.#watcher?.close();
    this.#watcher = null;
    const child = this.#watchNearest(isFolder);
    if (child === null) {
      this.#poll();
      return;
    }
    // A change before the watch was set up has not been reported.
    this.#onChange();
    if (!isFolder) await this.#check(child);
  }

  /** The path, or the first part of it that is missing; null where no watch can be had. */
  #watchNearest(isFolder: boolean): string | null {
    for (let child = this.#path; ; child = dirname(child)) {
      const folder = isFolder ? child : dirname(child);
      try {
        this.#watcher = this.#watch(folder, child);
        return child;
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isMissing || folder === child) return null;
      }
    }
  }

  #watch(folder: string, child: string): FSWatcher {
    const watcher = watch(folder, { persistent: false }, (kind, name) => {
      if (this.#isEnded || watcher !== this.#watcher) return;
      const isOwn = folder === child || name === null || name === basename(child);
      if (isOwn && child === this.#path) this.#onChange();
      if (kind !== 'rename') return;
      // The folder itself was removed or moved: what has its name now is another one.
      if (name === basename(folder)) void this.#arm();
      else if (isOwn && folder !== child) void this.#check(child);
    });
    watcher.on('error', () => this.#poll());
    return watcher;
  }

  /** A part of the path that has come, or a folder in the place of the file, is watched itself. */
  async #check(child: string): Promise<void> {
    const { isThere, isFolder } = await whatIs(child);
    if (!this.#isEnded && (child === this.#path ? isFolder : isThere)) await this.#arm();
  }

  #poll(): void {
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#isEnded || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#onChange();
      void this.#arm();
    }, POLL_MS).unref();
  }
}

const whatIs = (path: string): Promise<{ isThere: boolean; isFolder: boolean }> =>
  stat(path).then(
    (stats) => ({ isThere: true, isFolder: stats.isDirectory() }),
    () => ({ isThere: false, isFolder: false }),
  );
