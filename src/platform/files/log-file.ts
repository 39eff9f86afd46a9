// A log file: lines are appended one by one, and it is rotated before it grows over its bound.
// Every line is written before the call returns, so the last one before an exit is there.

import {
  closeSync,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';

export class LogFile implements Disposable {
  readonly #path: string;
  bytesMax: number;
  filesMax: number;
  #file: number | null = null;
  #bytes = 0;
  #lostCount = 0;

  constructor(path: string, bytesMax: number, filesMax: number) {
    this.#path = path;
    this.bytesMax = bytesMax;
    this.filesMax = filesMax;
  }

  // A full disk or a folder that is gone must not end the daemon: lines are lost then, and counted.
  write(line: string): void {
    try {
      const bytes = Buffer.byteLength(line);
      if (this.#file !== null && this.#bytes + bytes > this.bytesMax) this.#rotate();
      this.#file ??= this.#open();
      if (this.#lostCount > 0) this.#append(`{"level":"warn","lostLines":${this.#lostCount}}\n`);
      this.#lostCount = 0;
      this.#append(line);
    } catch {
      this.#lostCount += 1;
      this[Symbol.dispose]();
    }
  }

  /** The next line opens the file again. */
  [Symbol.dispose](): void {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      closeSync(file);
    } catch {
      // The descriptor is gone in any case.
    }
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    const { size, mode } = fstatSync(file);
    if ((mode & 0o077) !== 0) fchmodSync(file, 0o600);
    this.#bytes = size;
    return file;
  }

  // One call a line, in append mode: lines of two processes never mix.
  #append(line: string): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(line);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    this.#bytes += bytes.length;
  }

  #rotate(): void {
    this[Symbol.dispose]();
    if (this.filesMax < 1) this.#empty();
    for (let number = this.filesMax; number >= 1; number -= 1) {
      const from = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
      try {
        renameSync(from, `${this.#path}.${number}`);
      } catch (error) {
        // There may not be that many yet.
        const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (number === 1 && !isAbsent) this.#empty();
      }
    }
  }

  /** The file cannot be moved away: its older lines are given up, so that it keeps its bound. */
  #empty(): void {
    try {
      truncateSync(this.#path);
    } catch {
      // Nor can it be opened: the line is lost, and counted.
    }
  }
}
