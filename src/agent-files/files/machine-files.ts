// The machine where agents run: its files, and what the system shows of their processes.
// local-files.ts is this machine; over ssh it is another. Nothing is written.

export interface FileFacts {
  readonly size: number;
  readonly modifiedAtMs: number;
  /** Another file under the same name has another. */
  readonly inode: string;
}

export interface FileRange {
  readonly offset: number;
  readonly bytesMax: number;
}

export interface MachineFiles {
  /** The home of the user whose agents are watched. */
  readonly home: string;
  /** The facts of a readable plain file, or null. Follows links. */
  facts(path: string): Promise<FileFacts | null>;
  /** Up to `bytesMax` bytes from the offset, fewer at the end; null where it cannot be read. */
  read(path: string, range: FileRange): Promise<Uint8Array | null>;
  /** The names in a folder, so many at most; null where there is none. */
  list(folder: string): Promise<readonly string[] | null>;
  /** The values of the variables that are set; null when the process cannot be read. */
  environment(
    pid: number,
    names: readonly string[],
  ): Promise<Readonly<Record<string, string>> | null>;
  /** Paths of the open files of a process; null when it cannot be read. */
  openFiles(pid: number): Promise<readonly string[] | null>;
  /** The TCP ports of 127.0.0.1 on which it listens; null when it cannot be read. */
  listeningPorts(pid: number): Promise<readonly number[] | null>;
  /**
   * Calls back soon after a file, or a name in a folder, has changed: at once where the system
   * notifies, else when the machine is polled. It may call without a change. A path that is
   * not there yet may be watched.
   */
  watch(path: string, onChange: () => void): Disposable;
}
