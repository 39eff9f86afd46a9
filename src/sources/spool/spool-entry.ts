// One entry of the spool folder, whatever it is: opened only when it is a plain file of ours, or
// set aside in the `refused` folder for a person to read. Nothing here follows a link,
// waits on a FIFO or reads more than a file may hold. Names and content are read by spool-file.ts.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { contentNameOf } from './spool-file.ts';

export type SpoolEntry =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly problem: string }
  /** Somebody else removed it. */
  | { readonly kind: 'gone' };

export const REFUSED_FOLDER = 'refused';

/** The emitter cuts a payload at 256 KB. */
const FILE_BYTES_MAX = 524_288;
const REFUSED_MAX = 100;

/** The system is short of something. Any other failure is the entry's own. */
const shortages: ReadonlySet<string> = new Set(['EAGAIN', 'EINTR', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Reads an entry. Throws what the system says when another try may succeed. */
export function openEntry(path: string): SpoolEntry {
  try {
    const stat = lstatSync(path);
    if (stat.isFile() && stat.size === 0) fill(path);
    // Looked at before it is opened, because opening a device can already do something; and again
    // after, because it may have been replaced in between.
    const problem = unfitness(lstatSync(path));
    return problem === null ? readEntry(path) : { kind: 'refused', problem };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { kind: 'gone' };
    if (code === null || shortages.has(code)) throw error;
    return { kind: 'refused', problem: `it cannot be read: ${code}` };
  }
}

/** Renames the content over its empty marker file. Another reader may do so at the same time. */
function fill(path: string): void {
  const content = contentNameOf(basename(path));
  if (content === null) return;
  try {
    renameSync(join(dirname(path), content), path);
  } catch (error) {
    const code = errorCode(error);
    if (code === null || shortages.has(code)) throw error;
  }
}

function readEntry(path: string): SpoolEntry {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openSync(path, flags);
  try {
    const stat = fstatSync(file);
    const problem = unfitness(stat);
    if (problem !== null) return { kind: 'refused', problem };
    const bytes = new Uint8Array(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return { kind: 'bytes', bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(file);
  }
}

function unfitness(stat: Stats): string | null {
  if (stat.isSymbolicLink()) return 'it is a symbolic link';
  if (!stat.isFile()) return 'it is not a plain file';
  if (stat.uid !== process.getuid?.()) return 'it belongs to another user';
  if ((stat.mode & 0o022) !== 0) return 'others may write to it';
  return stat.size > FILE_BYTES_MAX ? `it is larger than ${FILE_BYTES_MAX} bytes` : null;
}

const asideName = /^\d{13}-\d{6}$/;
let asideCount = 0;

/**
 * Moves an entry into the `refused` folder under a name that sorts by time, and removes the oldest
 * ones there. False when it cannot be moved. Folders stay where they are: removing a tree that
 * somebody else made is not ours to do.
 */
export function setAside(folder: string, name: string): boolean {
  const aside = join(folder, REFUSED_FOLDER);
  const path = join(folder, name);
  try {
    if (lstatSync(path).isDirectory()) return false;
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    if (!lstatSync(aside).isDirectory()) return false;
    asideCount += 1;
    const serial = String(asideCount % 1_000_000).padStart(6, '0');
    renameSync(path, join(aside, `${Date.now()}-${serial}`));
    const kept = readdirSync(aside).filter((each) => asideName.test(each));
    for (const old of kept.sort().slice(0, -REFUSED_MAX)) unlinkSync(join(aside, old));
    return true;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}

/** The system's code of an error, such as ENOENT; null for a bug of ours. */
export function errorCode(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && 'syscall' in (error as Error) ? code : null;
}
