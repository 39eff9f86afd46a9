// The database as a file: made whole or not at all, private to its owner, and checked before
// SQLite may open it, so that a damaged, foreign or newer file is refused untouched.

import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../platform/fault.ts';
import { versionOf } from './migrate.ts';
import { corrupt } from './sqlite/sqlite-fault.ts';

/** Marks our files among those of other SQLite programs: "agtm" in ASCII. */
export const APPLICATION_ID = 0x6167746d;

// https://www.sqlite.org/fileformat2.html#the_database_header
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

const logOf = (path: string): string => `${path}-wal`;
const journalOf = (path: string): string => `${path}-journal`;

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

const hasErrno = (error: unknown, errno: string): boolean =>
  error instanceof Error && 'code' in error && error.code === errno;

/** Creates the database aside and links it into place, so `path` is never half-made. */
export function ensureFile(path: string, build: (db: DatabaseSync) => void): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Checked before the file: a log is always made after its database.
  const log = [logOf(path), journalOf(path)].find(isFilled);
  if (existsSync(path)) return;
  if (log !== undefined) throw corrupt(path, `the file is missing, but ${basename(log)} is there`);
  const folder = mkdtempSync(`${path}.new-`);
  try {
    const draft = join(folder, basename(path));
    closeSync(openSync(draft, 'wx', 0o600));
    const db = new DatabaseSync(draft);
    try {
      build(db);
    } finally {
      db.close();
    }
    linkSync(draft, path);
  } catch (error) {
    // Another process was faster; its file is as good as ours.
    if (!hasErrno(error, 'EEXIST')) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Head {
  readonly header: Buffer;
  readonly fileBytes: number;
}

function readHead(path: string): Head {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw corrupt(path, 'it is not a file');
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, header, 0, HEADER_BYTES, 0);
    if (length < HEADER_BYTES) throw corrupt(path, `the file has only ${length} bytes`);
    return { header, fileBytes: stat.size };
  } finally {
    closeSync(file);
  }
}

function refuseForeign(path: string, header: Buffer): void {
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw corrupt(path, 'it is not an SQLite database');
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    throw corrupt(path, 'it is not a database of agtmux');
  }
}

// SQLite itself reads the missing part of the last page as zeros. The size in the header counts
// only while no log or journal waits to be copied, so both are checked before and after.
function refuseCut(path: string): void {
  const isAtRest = (): boolean => !isFilled(logOf(path)) && !isFilled(journalOf(path));
  if (!isAtRest()) return;
  const { header, fileBytes } = readHead(path);
  const wholeBytes = header.readUInt16BE(PAGE_SIZE_AT) * header.readUInt32BE(PAGE_COUNT_AT);
  if (fileBytes >= wholeBytes || !isAtRest()) return;
  throw corrupt(path, `the file has ${fileBytes} bytes of ${wholeBytes}`);
}

function refuseNewer(path: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new Fault('store_newer_schema', {
    about: path,
    detail: `its schema is ${version}, this agtmux knows ${newest}`,
  });
}

// After a crash the newest pages are still in the log. A read-only connection sees them and, unlike
// any other, does not copy them into the file when it closes.
function versionWithLog(path: string, timeout: number): number {
  const db = new DatabaseSync(path, { readOnly: true, timeout });
  try {
    return versionOf(db);
  } finally {
    db.close();
  }
}

export interface FileCheck {
  readonly newestVersion: number;
  readonly busyTimeoutMs: number;
}

/** Refuses a file that is damaged at first sight, of another program, or of a newer schema. */
export function checkFile(path: string, { newestVersion, busyTimeoutMs }: FileCheck): void {
  const { header } = readHead(path);
  refuseForeign(path, header);
  const version = header.readUInt32BE(USER_VERSION_AT);
  refuseNewer(path, version, newestVersion);
  if (version === 0) throw corrupt(path, 'it has no schema version');
  refuseCut(path);
  if (isFilled(logOf(path))) {
    refuseNewer(path, versionWithLog(path, busyTimeoutMs), newestVersion);
  }
}

/** Makes the file private to its owner; a restored copy may have another mode. */
export function makePrivate(path: string): void {
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}
