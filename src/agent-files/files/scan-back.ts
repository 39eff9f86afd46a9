// Reads a file of lines from its end backwards to the last turn boundary, in bounded pieces. What
// it gives are the lines from there on, in the file's order, and the place where following goes on.

import { setImmediate as otherWork } from 'node:timers/promises';
import { LineCutter } from './line-cutter.ts';
import type { FileLine } from './line-follower.ts';
import type { MachineFiles } from './machine-files.ts';

const NEWLINE = 0x0a;

export interface ScanBackOptions {
  readonly files: MachineFiles;
  readonly path: string;
  /** The end to read back from. */
  readonly size: number;
  readonly isBoundary: (text: string) => boolean;
  readonly pieceBytes: number;
  readonly bytesMax: number;
  readonly lineBytesMax: number;
}

export interface RecentLines {
  /** Lines in their order, as many at once as were read at once. */
  readonly pieces: readonly (readonly FileLine[])[];
  /** After the last whole line. */
  readonly endOffset: number;
  /** No boundary was found as far back as was looked, and the file begins further back. */
  readonly isCut: boolean;
  readonly skippedCount: number;
}

/** What cannot be read ends it: it gives what it has. */
export async function scanBack(options: ScanBackOptions): Promise<RecentLines> {
  const { files, path, size, isBoundary, pieceBytes, bytesMax, lineBytesMax } = options;
  const pieces: (readonly FileLine[])[] = [];
  let skippedCount = 0;
  let endOffset: number | null = null;
  let start = size;
  /** From `start` on, the end of a line that begins further back. */
  let rest: Uint8Array = new Uint8Array(0);
  while (start > 0 && size - start < bytesMax) {
    const from = Math.max(0, start - pieceBytes);
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
    pieces.unshift(boundary === -1 ? lines : lines.slice(boundary));
    if (boundary !== -1) return { pieces, endOffset, isCut: false, skippedCount };
    await otherWork();
  }
  return { pieces, endOffset: endOffset ?? size, isCut: start > 0, skippedCount };
}
