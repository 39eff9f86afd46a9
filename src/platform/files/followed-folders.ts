// Folders that are followed wherever they go: one that is missing is noticed when it is made, with
// all folders above it, and one that was removed or replaced is watched anew. A watch tells of
// changes inside; a look at a slow pace tells whether it is still the same folder.

import { statSync } from 'node:fs';
import { FolderWatches, type FolderWatchesOptions, type WatchedFolder } from './folder-watches.ts';

const LOOK_MS = 1_000;

interface FollowedFolder {
  readonly how: WatchedFolder;
  /** Null: it is missing. */
  identity: string | null;
}

export class FollowedFolders implements Disposable {
  readonly #watches: FolderWatches;
  readonly #folders = new Map<string, FollowedFolder>();
  readonly #onChange: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(options: FolderWatchesOptions) {
    this.#onChange = options.onChange;
    this.#watches = new FolderWatches(options);
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Call it before reading, so that no change is missed between the two. */
  follow(folder: string, how: WatchedFolder = {}): void {
    if (this.#folders.has(folder)) return;
    this.#folders.set(folder, { how, identity: identityOf(folder) });
    this.#watches.add(folder, how);
  }

  unfollow(folder: string): void {
    this.#folders.delete(folder);
    this.#watches.remove(folder);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#watches[Symbol.dispose]();
  }

  #look(): void {
    const isOther = [...this.#folders].map(([folder, each]) => this.#lookAt(folder, each));
    if (isOther.includes(true)) this.#onChange();
  }

  /** Whether the folder is another than before. A watch that could not be had is tried again. */
  #lookAt(folder: string, followed: FollowedFolder): boolean {
    const identity = identityOf(folder);
    const isOther = identity !== followed.identity;
    if (isOther) this.#watches.remove(folder);
    followed.identity = identity;
    if (identity !== null) this.#watches.add(folder, followed.how);
    return isOther;
  }
}

/** The number of a folder alone is reused soon after its removal. */
function identityOf(folder: string): string | null {
  try {
    const { dev, ino, birthtimeMs } = statSync(folder);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    // It is missing, or may not be looked at: there is nothing to read.
    return null;
  }
}
