// Why a folder cannot be made. Node reports ENOENT where a parent is on a read-only disk.

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';

const errnoOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The errno behind `error`, which making `folder` with its parents has thrown. */
export function folderErrno(folder: string, error: unknown): string {
  const errno = errnoOf(error);
  if (errno !== 'ENOENT') return errno;
  let parent = folder;
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK);
    return errno;
  } catch (denied) {
    return errnoOf(denied);
  }
}
