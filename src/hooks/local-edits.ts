// Edited files of this machine.

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  decodeFileText,
  type EditedFiles,
  FILE_BYTES_MAX,
  FileEditError,
  type NewText,
} from './edited-files.ts';

/** Synchronous: the files are few and small, and a person waits for the result. */
export const localEdits: EditedFiles = {
  facts: async (path) => {
    const stat = statOf(path);
    if (stat === null) return null;
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
    return { kind, mode: stat.mode & 0o7777 };
  },
  realPath: async (path) => realPathOf(path),
  read: async (path) => readText(path),
  writeAtomically: async (path, written) => guarded(path, () => replace(path, written)),
  remove: async (path, expected) =>
    guarded(path, () => {
      if (readText(path) !== expected) return false;
      unlinkSync(realPathOf(path));
      return true;
    }),
  makeFolder: async (path, mode) =>
    guarded(path, () => void mkdirSync(path, { recursive: true, mode })),
  list: async (path) =>
    statOf(path)?.isDirectory() ? guarded(path, () => readdirSync(path).sort()) : [],
};

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileEditError || !(error instanceof Error)) throw error;
    const code: unknown = 'code' in error ? error.code : null;
    throw new FileEditError(`${path}: ${typeof code === 'string' ? code : error.message}`);
  }
}

const statOf = (path: string): Stats | null =>
  guarded(path, () => {
    try {
      return statSync(path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw error;
    }
  });

const realPathOf = (path: string): string =>
  guarded(path, () => (statOf(path) === null ? path : realpathSync(path)));

function readText(path: string): string | null {
  const stat = statOf(path);
  if (stat === null) return null;
  if (!stat.isFile()) throw new FileEditError(`${path} is not a plain file`);
  return guarded(path, () => {
    // It may have been replaced by a FIFO since it was checked.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      if (size > FILE_BYTES_MAX) throw new FileEditError(`${path} is larger than 4 MB`);
      return decodeFileText(path, readAll(file, size));
    } finally {
      closeSync(file);
    }
  });
}

function readAll(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = readSync(file, bytes, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function replace(path: string, { text, mode, expected }: NewText): boolean {
  const target = realPathOf(path);
  const before = statOf(target);
  const temporary = join(
    dirname(target),
    `.${basename(target)}.agtmux-${randomBytes(6).toString('hex')}`,
  );
  try {
    writeSynced(temporary, text);
    if (before !== null) keepOwner(temporary, before);
    chmodSync(temporary, before === null ? mode : before.mode & 0o7777);
    // As late as possible: a write between here and the next line is lost, as with any tool.
    if (readText(path) !== expected) {
      unlinkSync(temporary);
      return false;
    }
    renameSync(temporary, target);
    return true;
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Only where it differs: most users may not give files away. */
function keepOwner(path: string, { uid, gid }: Stats): void {
  const now = statSync(path);
  if (now.uid !== uid || now.gid !== gid) chownSync(path, uid, gid);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or was renamed.
  }
}
