// The lines of a transcript as records. Only what a page needs is read, in bounded chunks, and
// nothing is kept. A line without its end waits; one that is too long has no text.

import { setImmediate as otherWork } from 'node:timers/promises';
import type { LineFollower } from '../files/line-follower.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import type {
  RecordBatch,
  RecordsListener,
  TranscriptRecord,
  TranscriptRecords,
} from './transcript-records.ts';

const NEWLINE = 0x0a;
/** The first chunk back holds what a screen shows; later ones grow. */
const CHUNK_BYTES_MIN = 64 * 1024;
const CHUNK_BYTES_MAX = 512 * 1024;
/** The longest line that is read: a picture, or the whole output of a tool. */
export const LINE_BYTES_MAX: number = 8_000_000;

export class LineRecords implements TranscriptRecords {
  readonly #files: MachineFiles;
  readonly #path: string;
  readonly #follower: () => LineFollower | null;
  readonly #lineBytesMax: number;

  /** With a follower, lines that it reads anyway are not read again. */
  constructor(
    files: MachineFiles,
    path: string,
    follower: () => LineFollower | null = () => null,
    lineBytesMax: number = LINE_BYTES_MAX,
  ) {
    this.#files = files;
    this.#path = path;
    this.#follower = follower;
    this.#lineBytesMax = lineBytesMax;
  }

  async end(): Promise<number | null> {
    return (await this.#files.facts(this.#path))?.size ?? null;
  }

  async at(position: number): Promise<TranscriptRecord | null> {
    if (position > 0) {
      // A record follows the end of another.
      const before = await this.#read(position - 1, 1);
      if (before?.[0] !== NEWLINE) return null;
    }
    for await (const [record] of this.#forward(position, CHUNK_BYTES_MIN)) return record ?? null;
    return null;
  }

  async *back(end: number): AsyncGenerator<RecordBatch, void, undefined> {
    let start = end;
    let chunkBytes = CHUNK_BYTES_MIN;
    /** What begins before `start` and ends behind it. */
    let rest: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
    let restBytes = 0;
    while (start > 0) {
      const from = Math.max(0, start - chunkBytes);
      const bytes = await this.#read(from, start - from);
      if (bytes?.length !== start - from) return;
      start = from;
      chunkBytes = Math.min(CHUNK_BYTES_MAX, chunkBytes * 2);
      const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      if (start > 0 && first === 0) {
        restBytes += bytes.length;
        const isTooLong = restBytes > this.#lineBytesMax;
        // Its end alone tells whether it is whole.
        rest = isTooLong ? rest.slice(-1) : Buffer.concat([bytes, rest]);
        continue;
      }
      const base = start + first;
      const head = bytes.subarray(first);
      yield this.#cut(head, rest, { base, restBytes });
      rest = bytes.slice(0, first);
      restBytes = rest.length;
      await otherWork();
    }
  }

  forward(position: number): AsyncGenerator<RecordBatch, void, undefined> {
    return this.#forward(position, CHUNK_BYTES_MAX);
  }

  watch({ onChange, onRecords }: RecordsListener): Disposable {
    const follower = this.#follower();
    if (follower === null) return this.#files.watch(this.#path, onChange);
    return follower.listen(({ lines, isHistory }) => {
      // A file that was opened anew is checked by its reader.
      if (isHistory) onChange();
      else onRecords(lines.map(({ text, offset, end }) => ({ position: offset, next: end, text })));
    });
  }

  /** The lines of two pieces that belong together; the second may have been too long to keep. */
  #cut(
    head: Uint8Array,
    rest: Uint8Array,
    { base, restBytes }: { readonly base: number; readonly restBytes: number },
  ): RecordBatch {
    if (restBytes === rest.length) return this.#lines(Buffer.concat([head, rest]), base);
    const last = head.lastIndexOf(NEWLINE) + 1;
    const lines = this.#lines(head.subarray(0, last), base);
    if (rest.at(-1) !== NEWLINE) return lines;
    const next = base + head.length + restBytes;
    return [...lines, { position: base + last, next, text: null }];
  }

  /** Whole lines. Empty ones are left out. */
  #lines(bytes: Uint8Array, base: number): RecordBatch {
    const records: TranscriptRecord[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const isTooLong = end - start > this.#lineBytesMax;
      const text = isTooLong ? null : Buffer.from(bytes.subarray(start, end)).toString('utf8');
      if (end > start) records.push({ position: base + start, next: base + end + 1, text });
      start = end + 1;
    }
    return records;
  }

  async *#forward(
    position: number,
    chunkBytes: number,
  ): AsyncGenerator<RecordBatch, void, undefined> {
    let offset = position;
    let rest: Uint8Array<ArrayBufferLike> = new Uint8Array(0);
    let lineStart = position;
    let isTooLong = false;
    for (;;) {
      const bytes = await this.#read(offset, chunkBytes);
      if (bytes === null || bytes.length === 0) return;
      offset += bytes.length;
      const last = bytes.lastIndexOf(NEWLINE);
      if (last < 0) {
        isTooLong ||= rest.length + bytes.length > this.#lineBytesMax;
        rest = isTooLong ? rest.slice(0, 0) : Buffer.concat([rest, bytes]);
        await otherWork();
        continue;
      }
      const records: TranscriptRecord[] = [];
      let begin = 0;
      if (isTooLong) {
        begin = bytes.indexOf(NEWLINE) + 1;
        const next = offset - bytes.length + begin;
        records.push({ position: lineStart, next, text: null });
        lineStart = next;
      }
      const whole = Buffer.concat([
        isTooLong ? rest.slice(0, 0) : rest,
        bytes.subarray(begin, last + 1),
      ]);
      records.push(...this.#lines(whole, lineStart));
      yield records;
      lineStart = offset - bytes.length + last + 1;
      rest = bytes.slice(last + 1);
      isTooLong = false;
      await otherWork();
    }
  }

  /** A machine may return less at once than it was asked for. */
  async #read(offset: number, bytesMax: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < bytesMax) {
      const range = { offset: offset + length, bytesMax: bytesMax - length };
      const part = await this.#files.read(this.#path, range);
      if (part === null) return null;
      if (part.length === 0) break;
      parts.push(part);
      length += part.length;
    }
    return parts.length === 1 ? (parts[0] ?? null) : Buffer.concat(parts);
  }
}
