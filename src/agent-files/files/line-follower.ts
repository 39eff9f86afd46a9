// Follows a file of lines that another program writes: a transcript, a list of events. It begins at
// the last turn boundary, found by reading back from the end, and goes on from there: nothing is
// read twice, the file never enters memory whole, and other work runs between two pieces.

import { setImmediate as otherWork } from 'node:timers/promises';
import { CoalescedTask } from './coalesced-task.ts';
import { LineCutter } from './line-cutter.ts';
import type { FileFacts, MachineFiles } from './machine-files.ts';
import { scanBack } from './scan-back.ts';

/** What is read and handed over at once. */
const CHUNK_BYTES = 256 * 1024;
/** How far a turn boundary is looked for. Turns of an hour are below. */
const HISTORY_BYTES_MAX = 4 * 1024 * 1024;
/** Lines with more are pictures and outputs of tools; they are left out and counted. */
const LINE_BYTES_MAX = 1024 * 1024;

const limits = {
  chunkBytes: CHUNK_BYTES,
  bytesMax: HISTORY_BYTES_MAX,
  lineBytesMax: LINE_BYTES_MAX,
};

export interface FileLine {
  readonly text: string;
  /** Where it begins in the file: with the file's name it names the line. */
  readonly offset: number;
}

export interface LineBatch {
  readonly lines: readonly FileLine[];
  /** They were there when the file was first seen: old news, or news of this moment. */
  readonly isHistory: boolean;
}

export interface LineFollowerOptions {
  readonly files: MachineFiles;
  readonly path: string;
  /** Whether a turn begins or ended with this line: what is before it is not asked for. */
  readonly isBoundary: (text: string) => boolean;
  /** Lines in their order. What throws is handed in again later. */
  readonly onLines: (batch: LineBatch) => void;
  readonly onProblem: (problem: string) => void;
}

export class LineFollower implements Disposable {
  readonly #options: LineFollowerOptions;
  readonly #watch: Disposable;
  #cutter = new LineCutter(LINE_BYTES_MAX, 0);
  /** Another one under the name is another file; null while there is none. */
  #inode: string | null = null;
  /** Up to here it was read. */
  #offset = 0;
  #skippedCount = 0;
  /** It was missing when it was last looked at, and never there before: what it gets is new. */
  #wasMissing = false;
  /** Handed over and not taken yet. */
  #undelivered: LineBatch[] = [];
  readonly #readTask: CoalescedTask;

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

  /** Reads what is new, soon. A watch may miss a change: whoever has one calls it now and then. */
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
    // Another file, or one that was cut: what is in it now is read like one that was just found.
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

  /** What cannot be taken now (the store is full) waits, and nothing more is read meanwhile. */
  async #deliver(): Promise<void> {
    for (
      let batch = this.#undelivered[0];
      batch && !this.#readTask.isEnded;
      batch = this.#undelivered[0]
    ) {
      this.#options.onLines(batch);
      this.#undelivered.shift();
      if (this.#undelivered.length > 0) await otherWork();
    }
  }
}
