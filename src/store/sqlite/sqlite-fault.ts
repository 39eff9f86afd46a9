// Turns errors of SQLite and the file system into Faults of our table. An error about our own SQL
// or data (a constraint, a type) is our bug and passes through unchanged.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../platform/fault.ts';
import type { ProblemCode } from '../../schema/problem.ts';

// Primary result codes of sqlite3.h; `errcode` of node:sqlite is the extended code, whose low byte
// is the primary one.
const SQLITE_ERROR = 1;
const SQLITE_IOERR = 10;
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_IOERR_CORRUPTFS = 8458;
const SQLITE_IOERR_READ = 266;

const codeOfPrimary: ReadonlyMap<number, ProblemCode> = new Map<number, ProblemCode>([
  [3, 'store_unwritable'], // PERM
  [5, 'store_busy'], // BUSY
  [6, 'store_busy'], // LOCKED
  [8, 'store_unwritable'], // READONLY
  [11, 'store_corrupt'], // CORRUPT
  [13, 'store_full'], // FULL
  [14, 'store_unwritable'], // CANTOPEN
  [15, 'store_busy'], // PROTOCOL: the lock of the write-ahead log was never free
  [26, 'store_corrupt'], // NOTADB
]);

const codeOfErrno: ReadonlyMap<string, ProblemCode> = new Map<string, ProblemCode>([
  ['ENOSPC', 'store_full'],
  ['EDQUOT', 'store_full'],
]);

const damagedReads: ReadonlySet<number> = new Set([
  SQLITE_IOERR_READ,
  SQLITE_IOERR_SHORT_READ,
  SQLITE_IOERR_CORRUPTFS,
]);

// Less than this and neither a page of the log nor a 32 KiB region of its index can be written.
const FREE_BYTES_MIN = 65_536;

/** Whether the disk of a file looks full to those who may not use its reserve. */
export function isDiskFull(path: string): boolean {
  try {
    const disk = statfsSync(dirname(path));
    return disk.bavail * disk.bsize < FREE_BYTES_MIN;
  } catch {
    return false;
  }
}

// A full disk is plain SQLITE_FULL for the file and its log, and an I/O error for the log's index.
function codeOfSqlite(errcode: number, path: string): ProblemCode | undefined {
  const primary = errcode & 0xff;
  if (primary !== SQLITE_IOERR) return codeOfPrimary.get(primary);
  if (damagedReads.has(errcode)) return 'store_corrupt';
  return isDiskFull(path) ? 'store_full' : 'store_unwritable';
}

function codeOf(error: Error, path: string): ProblemCode | undefined {
  if ('errcode' in error && typeof error.errcode === 'number') {
    return codeOfSqlite(error.errcode, path);
  }
  if ('syscall' in error && 'code' in error && typeof error.code === 'string') {
    return codeOfErrno.get(error.code) ?? 'store_unwritable';
  }
  // node:sqlite refuses integers that no JavaScript number holds. We never write one.
  if ('code' in error && error.code === 'ERR_OUT_OF_RANGE') return 'store_corrupt';
  return undefined;
}

/** The Fault behind an error of SQLite or of the file system, or the error itself. */
export function asFault(error: unknown, path: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const code = codeOf(error, path);
  if (code === undefined) return error;
  return new Fault(code, { about: path, detail: error.message, cause: error });
}

/** Runs `work`; errors of SQLite and the file system become Faults. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asFault(error, path);
  }
}

/** The Fault of a damaged file. */
export function corrupt(path: string, detail: string, cause?: unknown): Fault {
  return new Fault('store_corrupt', { about: path, detail, cause });
}

/** Like `guarded`, where SQL that the file does not understand is the fault of the file. */
export function guardedSchema<T>(path: string, work: () => T): T {
  try {
    return guarded(path, work);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_ERROR)) {
      throw error;
    }
    throw corrupt(path, error.message, error);
  }
}
