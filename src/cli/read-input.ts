// Reads an input file or standard input, up to a limit.

import { closeSync, openSync, readSync } from 'node:fs';

export const STDIN_FILE = '/dev/stdin';
const STDIN = 0;
const CHUNK_BYTES = 256_000;

export type ReadInput =
  | { readonly ok: true; readonly text: string; readonly isCut: boolean }
  | { readonly ok: false; readonly why: string };

/** The text, cut after `bytesMax` bytes, or why it cannot be read. */
export function readInput(file: string, bytesMax: number): ReadInput {
  try {
    // When standard input is a socket, /dev/stdin cannot be opened.
    const descriptor = file === STDIN_FILE ? STDIN : openSync(file, 'r');
    try {
      const bytes = readBytes(descriptor, bytesMax + 1);
      const isCut = bytes.length > bytesMax;
      return { ok: true, text: new TextDecoder().decode(bytes.subarray(0, bytesMax)), isCut };
    } finally {
      if (descriptor !== STDIN) closeSync(descriptor);
    }
  } catch (error) {
    return { ok: false, why: whyOf(error) };
  }
}

/** In the words of a person where it is the usual mistake. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? 'it does not exist' : error.message;
}

// A loop, because a pipe returns only what it has at the moment.
function readBytes(descriptor: number, bytesMax: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < bytesMax) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytesMax - total));
    const length = readSync(descriptor, chunk, 0, chunk.length, null);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
    total += length;
  }
  return Buffer.concat(chunks);
}
