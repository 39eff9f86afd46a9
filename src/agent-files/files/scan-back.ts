// Reads a file of lines backwards from its end to the last turn boundary, in bounded chunks. It
// returns the lines from there on, in the order of the file, and the offset to follow it from.

import { setImmediate as otherWork } from 'node:timers/promises';
import { type FileLine, LineCutter } from './line-cutter.ts';
import type { MachineFiles } from './machine-files.ts';

const NEWLINE = 0x0a;

export interface ScanBackOptions {
  readonly files: MachineFiles;
  readonly path: string;
  /** The end to read back from. */
  readonly size: number;
  readonly isBoundary: (text: string) => boolean;
  readonly chunkBytes: number;
  readonly bytesMax: number;
  readonly lineBytesMax: number;
}

export interface RecentLines {
  /** Lines in their order, one batch for each chunk. */
  readonly batches: readonly (readonly FileLine[])[];
  /** After the last whole line. */
  readonly endOffset: number;
  /** No boundary was found within the limit, and the file begins before it. */
  readonly isCut: boolean;
  readonly skippedCount: number;
}

/** A read that fails ends the scan with the lines so far. */
export async function scanBack(options: ScanBackOptions): Promise<RecentLines> {
  const { files, path, size, isBoundary, chunkBytes, bytesMax, lineBytesMax } = options;
  const batches: (readonly FileLine[])[] = [];
  let skippedCount = 0;
  let endOffset: number | null = null;
  let start = size;
  /** The bytes from `start` on: the end of a line that begins further back. */
  let rest: Uint8Array = new Uint8Array(0);
  while (start > 0 && size - start < bytesMax) {
    const from = Math.max(0, start - chunkBytes);
    const bytes = await files.read(path, { offset: from, bytesMax: start - from });
    if (bytes?.length !== start - from) break;
    start = from;
    rest = Buffer.concat([bytes, rest]);
    // A file begins with a line; within it the first whole one follows the end of another.
    const first = start === 0 ? 0 : rest.indexOf(NEWLINE) + 1;
    if (first === 0 && start > 0) continue;
    const cutter = new LineCutter(lineBytesMax, start + first);
    const lines = cutter.push(rest.subarray(first));
    endOffset ??= cutter.lineOffset;
    skippedCount += cutter.skippedCount;
    rest = rest.slice(0, first);
    const boundary = lines.findLastIndex(({ text }) => isBoundary(text));
    batches.unshift(boundary === -1 ? lines : lines.slice(boundary));
    if (boundary !== -1) return { batches, endOffset, isCut: false, skippedCount };
    await otherWork();
  }
  return { batches, endOffset: endOffset ?? size, isCut: start > 0, skippedCount };
}
