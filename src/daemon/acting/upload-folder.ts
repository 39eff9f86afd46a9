// Where files that people give to agents are kept: in a folder of the agent's work that git does
// not see, else in ours. No link is followed, old files go, and all together stay within a quota.

import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../platform/fault.ts';

const KEPT_MS = 7 * 86_400_000;
const QUOTA_BYTES = 256 * 1024 * 1024;
const NAME_LENGTH_MAX = 100;
/** Ours begin with the time at which they came. */
const ownName = /^(\d{13})-\d+-/;

/** Keeps the file in the work folder where that can be, else in ours. Throws a Fault. */
export function keepUpload(
  { name, bytes, nowMs }: { readonly name: string; readonly bytes: Buffer; readonly nowMs: number },
  folders: { readonly workDir: string; readonly ownFolder: string },
): string {
  const file = { fileName: fileNameOf(name, nowMs), bytes, nowMs };
  try {
    return keepIn(workFolder(folders.workDir), file);
  } catch {
    // It cannot be written, or a link stands there.
  }
  try {
    mkdirSync(folders.ownFolder, { recursive: true, mode: 0o700 });
    return keepIn(folders.ownFolder, file);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new Fault('store_unwritable', { about: folders.ownFolder, detail, cause });
  }
}

let counter = 0;

function fileNameOf(name: string, nowMs: number): string {
  counter = (counter + 1) % 1_000_000;
  return `${String(Math.floor(nowMs)).padStart(13, '0')}-${counter}-${safeName(name)}`;
}

/** Letters, digits, dots, dashes and underscores of the last part of a name. */
function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'));
  const safe = last.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^\.+|\.+$/g, '');
  return safe === '' ? 'attachment.bin' : safe.slice(-NAME_LENGTH_MAX);
}

/** `.agtmux/uploads`, made where it is not there. Throws where a link or another's folder is. */
function workFolder(workDir: string): string {
  const top = join(workDir, '.agtmux');
  const folder = join(top, 'uploads');
  for (const each of [top, folder]) makeOwnFolder(each);
  try {
    writeFileSync(join(top, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there.
  }
  return folder;
}

function makeOwnFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It is there, or cannot be made: what is found below counts.
  }
  const stat = lstatSync(path);
  const isOwn = stat.isDirectory() && stat.uid === process.getuid?.();
  if (!isOwn) throw new Error(`${path} is no folder of ours`);
}

function keepIn(
  folder: string,
  { fileName, bytes, nowMs }: { fileName: string; bytes: Buffer; nowMs: number },
): string {
  makeRoom(folder, bytes.length, nowMs);
  const path = join(folder, fileName);
  // Nothing may be there yet, not even a link.
  const file = openSync(path, 'wx', 0o600);
  try {
    // A folder that became a link meanwhile has led elsewhere.
    if (realpathSync(path) !== join(realpathSync(folder), fileName)) throw new Error('moved');
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return path;
}

/** Removes files of ours that are too old, and the oldest of those that are too many. */
function makeRoom(folder: string, byteCount: number, nowMs: number): void {
  const files = readdirSync(folder)
    .flatMap((name) => {
      const atMs = Number(ownName.exec(name)?.[1] ?? Number.NaN);
      const size = Number.isNaN(atMs) ? 0 : lstatSync(join(folder, name)).size;
      return Number.isNaN(atMs) ? [] : [{ path: join(folder, name), atMs, size }];
    })
    .sort((one, other) => other.atMs - one.atMs);
  let total = byteCount;
  for (const { path, atMs, size } of files) {
    total += size;
    if (total > QUOTA_BYTES || nowMs - atMs > KEPT_MS) rmSync(path, { force: true });
  }
}
