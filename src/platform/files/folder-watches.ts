// Watches of folders that may come and go. Editors write a file in several steps, so that one call
// follows the last of several changes. A watch that cannot be opened is left out: its
// users have another way to notice changes.

import { type FSWatcher, watch } from 'node:fs';

export interface FolderWatchesOptions {
  /** Debounce: how long nothing may change before a report; null reports each change at once. */
  readonly settleMs: number | null;
  readonly onChange: () => void;
}

export interface WatchedFolder {
  /** Changes of other names are not reported. */
  readonly isWanted?: (name: string) => boolean;
}

export class FolderWatches implements Disposable {
  readonly #options: FolderWatchesOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
  }

  /** Watches a folder, unless it is watched already. False where that cannot be done. */
  add(folder: string, { isWanted = () => true }: WatchedFolder = {}): boolean {
    if (this.#watchers.has(folder)) return true;
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, name) => {
        if (name === null || isWanted(name)) this.#changed();
      });
      // A folder that is removed ends its watch.
      watcher.on('error', () => this.#end(folder, watcher));
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      // The folder does not exist, or the system has no watch left.
      return false;
    }
  }

  /** A folder that was removed and created again is another one: add it again. */
  remove(folder: string): void {
    const watcher = this.#watchers.get(folder);
    if (watcher) this.#end(folder, watcher);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #end(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
  }

  #changed(): void {
    const { settleMs, onChange } = this.#options;
    if (settleMs === null) {
      onChange();
      return;
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(onChange, settleMs).unref();
  }
}
