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

export const KEPT_MS: number = 7 * 86_400_000;
const WORK_FOLDER = ['.agtmux', 'uploads'] as const;
export const QUOTA_BYTES: number = 256 * 1024 * 1024;
/** File systems take 255 bytes, with what we put before it. */
const NAME_BYTES_MAX = 200;
/** Ours begin with the time at which they came. */
const ownName = /^(\d{13})-\d+-/;

/** Keeps the file in the work folder where that can be, else in ours. Throws a Fault. */
export function keepUpload(
  file: { readonly fileName: string; readonly bytes: Buffer; readonly nowMs: number },
  folders: { readonly workDir: string; readonly ownFolder: string },
): string {
  try {
    // Folders below are seen to be ours; one that became a link meanwhile is not where it was.
    const realFolder = join(realpathSync(folders.workDir), ...WORK_FOLDER);
    return keepIn(workFolder(folders.workDir), file, realFolder);
  } catch {
    // It cannot be written, or a link stands there.
  }
  try {
    mkdirSync(folders.ownFolder, { recursive: true, mode: 0o700 });
    return keepIn(folders.ownFolder, file, realpathSync(folders.ownFolder));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new Fault('store_unwritable', { about: folders.ownFolder, detail, cause });
  }
}

let counter = 0;

/** A name of ours for a file, which no other has. */
export function fileNameOf(name: string, nowMs: number): string {
  counter = (counter + 1) % 1_000_000;
  return `${String(Math.floor(nowMs)).padStart(13, '0')}-${counter}-${safeName(name)}`;
}

/** Letters, digits, dots, dashes and underscores of the last part of a name. */
function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'));
  const safe = last.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^\.+|\.+$/g, '');
  return safe === '' ? 'attachment.bin' : endOf(safe);
}

/** The end tells what kind of file it is. */
function endOf(name: string): string {
  const characters = [...name];
  let byteCount = Buffer.byteLength(name);
  let from = 0;
  for (; byteCount > NAME_BYTES_MAX; from += 1)
    byteCount -= Buffer.byteLength(characters[from] ?? '');
  return characters.slice(from).join('');
}

/** `.agtmux/uploads`, made where it is not there. Throws where a link or another's folder is. */
function workFolder(workDir: string): string {
  const [top, folder] = [join(workDir, WORK_FOLDER[0]), join(workDir, ...WORK_FOLDER)];
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

/** Throws where the folder is not the one of that real path any more. */
export function keepIn(
  folder: string,
  { fileName, bytes, nowMs }: { fileName: string; bytes: Buffer; nowMs: number },
  realFolder: string,
): string {
  makeRoom(folder, bytes.length, nowMs);
  const path = join(folder, fileName);
  // Nothing may be there yet, not even a link.
  const file = openSync(path, 'wx', 0o600);
  try {
    if (realpathSync(path) !== join(realFolder, fileName)) throw new Error('moved');
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
