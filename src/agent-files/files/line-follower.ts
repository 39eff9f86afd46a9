// Follows a file of lines that another program writes: a transcript, a list of events. It begins at
// the last turn boundary, found by reading back from the end. No byte is read twice, the file is
// never in memory as a whole, and other work runs between two chunks.

import { setImmediate as otherWork } from 'node:timers/promises';
import { CoalescedTask } from './coalesced-task.ts';
import { type FileLine, LineCutter } from './line-cutter.ts';
import type { FileFacts, MachineFiles } from './machine-files.ts';
import { scanBack } from './scan-back.ts';

/** Read and delivered at once. */
const CHUNK_BYTES = 256 * 1024;
/** How far back a turn boundary is searched. A turn of an hour is smaller. */
const HISTORY_BYTES_MAX = 4 * 1024 * 1024;
/** Lines with more are pictures and outputs of tools; they are left out and counted. */
const LINE_BYTES_MAX = 1024 * 1024;

const limits = {
  chunkBytes: CHUNK_BYTES,
  bytesMax: HISTORY_BYTES_MAX,
  lineBytesMax: LINE_BYTES_MAX,
};

export interface LineBatch {
  readonly lines: readonly FileLine[];
  /** The lines were there when the file was first read; they may still be recent. */
  readonly isHistory: boolean;
}

export interface LineFollowerOptions {
  readonly files: MachineFiles;
  readonly path: string;
  /** Whether a turn begins or ended with this line; nothing before it is delivered. */
  readonly isBoundary: (text: string) => boolean;
  /** Lines in their order. A batch that throws is delivered again later. */
  readonly onLines: (batch: LineBatch) => void;
  readonly onProblem: (problem: string) => void;
}

export class LineFollower implements Disposable {
  readonly #options: LineFollowerOptions;
  readonly #watch: Disposable;
  #cutter = new LineCutter(LINE_BYTES_MAX, 0);
  /** Null while there is no file; another inode is another file. */
  #inode: string | null = null;
  /** Read up to here. */
  #offset = 0;
  #skippedCount = 0;
  /** The file was missing at the last look and never there before: all its lines are new. */
  #wasMissing = false;
  /** Read and not delivered yet. */
  #undelivered: LineBatch[] = [];
  readonly #readTask: CoalescedTask;
  readonly #listeners = new Set<(batch: LineBatch) => void>();

  constructor(options: LineFollowerOptions) {
    this.#options = options;
    this.#readTask = new CoalescedTask(
      () => this.#readNew(),
      (error) => options.onProblem(`${options.path}: ${String(error)}`),
    );
    this.#watch = options.files.watch(options.path, () => this.look());
    this.look();
  }

  /** Lines that were too long and left out. */
  get skippedCount(): number {
    return this.#skippedCount;
  }

  /** Also hands new lines to this one, until it is disposed of. What it throws is a problem. */
  listen(listener: (batch: LineBatch) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Reads new lines soon. A watch may miss a change, so the owner calls this regularly. */
  look(): void {
    this.#readTask.request();
  }

  [Symbol.dispose](): void {
    this.#readTask[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
  }

  async #readNew(): Promise<void> {
    await this.#deliver();
    const facts = await this.#options.files.facts(this.#options.path);
    if (facts === null) {
      this.#wasMissing = this.#inode === null;
      return;
    }
    // Another file, or a truncated one: it is read like a file that was just found.
    if (facts.inode !== this.#inode || facts.size < this.#offset) await this.#open(facts);
    while (this.#offset < facts.size && !this.#readTask.isEnded) {
      if (!(await this.#readChunk(facts.size))) return;
      await otherWork();
    }
  }

  /** False where it ends before that size. */
  async #readChunk(size: number): Promise<boolean> {
    const { files, path } = this.#options;
    const bytesMax = Math.min(CHUNK_BYTES, size - this.#offset);
    const bytes = await files.read(path, { offset: this.#offset, bytesMax });
    if (bytes === null || bytes.length === 0) return false;
    this.#offset += bytes.length;
    const before = this.#cutter.skippedCount;
    const lines = this.#cutter.push(bytes);
    this.#reportSkipped(this.#cutter.skippedCount - before);
    if (lines.length > 0) this.#undelivered.push({ lines, isHistory: false });
    await this.#deliver();
    return true;
  }

  async #open({ size, inode }: FileFacts): Promise<void> {
    const { files, path, isBoundary, onProblem } = this.#options;
    const isNew = this.#wasMissing && size <= HISTORY_BYTES_MAX;
    this.#wasMissing = false;
    // Whoever listens has to check whether it is still the same file.
    for (const listener of this.#listeners) listener({ lines: [], isHistory: true });
    if (isNew) {
      this.#begin(0, inode);
      return;
    }
    const history = await scanBack({ files, path, size, isBoundary, ...limits });
    if (history.isCut) onProblem(`${path}: no turn begins in its last ${HISTORY_BYTES_MAX} bytes`);
    this.#begin(history.endOffset, inode);
    this.#reportSkipped(history.skippedCount);
    const batches = history.batches.filter((lines) => lines.length > 0);
    this.#undelivered.push(...batches.map((lines) => ({ lines, isHistory: true })));
    await this.#deliver();
  }

  #begin(offset: number, inode: string): void {
    this.#inode = inode;
    this.#cutter = new LineCutter(LINE_BYTES_MAX, offset);
    this.#offset = offset;
  }

  #reportSkipped(count: number): void {
    if (count === 0) return;
    this.#skippedCount += count;
    const { path, onProblem } = this.#options;
    onProblem(`${path}: lines of more than ${LINE_BYTES_MAX} bytes are left out`);
  }

  /** A batch that is refused (the store is full) waits, and nothing more is read meanwhile. */
  async #deliver(): Promise<void> {
    for (
      let batch = this.#undelivered[0];
      batch && !this.#readTask.isEnded;
      batch = this.#undelivered[0]
    ) {
      this.#options.onLines(batch);
      this.#undelivered.shift();
      for (const listener of this.#listeners) listener(batch);
      if (this.#undelivered.length > 0) await otherWork();
    }
  }
}
