// Reads what a person names as input, a file or standard input, up to a limit.

import { closeSync, openSync, readSync } from 'node:fs';

export const STDIN_FILE = '/dev/stdin';
const STDIN = 0;
const CHUNK_BYTES = 256_000;

export type ReadInput =
  | { readonly ok: true; readonly text: string; readonly isCut: boolean }
  | { readonly ok: false; readonly why: string };

/** The text, cut after so many bytes, or the system's words on why there is none. */
export function readInput(file: string, bytesMax: number): ReadInput {
  try {
    // A socket as standard input cannot be opened by its name.
    const descriptor = file === STDIN_FILE ? STDIN : openSync(file, 'r');
    try {
      const bytes = readBytes(descriptor, bytesMax + 1);
      const isCut = bytes.length > bytesMax;
      return { ok: true, text: new TextDecoder().decode(bytes.subarray(0, bytesMax)), isCut };
    } finally {
      if (descriptor !== STDIN) closeSync(descriptor);
    }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

// In a loop: a pipe has no size, and gives what it has.
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
