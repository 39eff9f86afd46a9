// The file into which the program of a played agent writes what is typed into its pane.

import { type FileHandle, open } from 'node:fs/promises';
import { type PlayedKey, playedKeys, TYPED_MAX } from './played-keys.ts';

export class TypedFile {
  readonly #path: string;
  #file: FileHandle | null = null;
  #at = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** What was typed since the last call; nothing while the file cannot be read. */
  async takeKeys(): Promise<readonly PlayedKey[]> {
    try {
      this.#file ??= await open(this.#path, 'r');
      const { size } = await this.#file.stat();
      if (size <= this.#at) return [];
      const length = Math.min(size - this.#at, TYPED_MAX);
      const { buffer, bytesRead } = await this.#file.read({
        buffer: Buffer.alloc(length),
        position: size - length,
      });
      this.#at = size;
      return playedKeys(buffer.toString('utf8', 0, bytesRead));
    } catch {
      // The program has not made it yet, or the demo ends.
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = null;
  }
}
