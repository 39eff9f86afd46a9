// The folder of the masters' control sockets: a process that opens one acts as us on the host. Each
// socket is named after the process that made it, so that those of a killed one can be swept.

import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../platform/fault.ts';
import { isProcessAlive } from '../../platform/process/process-alive.ts';

/** What the system takes for a socket, less the end of the name that ssh binds it under first. */
const PATH_BYTES_MAX = 107 - 17;

/** Makes the folder where it is missing, and throws a Fault where others could reach into it. */
export function openControlFolder(runtimeDir: string): string {
  const folder = join(runtimeDir, 'ssh');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw new Fault('E_FOLDER_UNSAFE', { about: folder });
  }
  sweep(folder);
  return folder;
}

/** An unused path. Throws a Fault when it would be too long for a socket. */
export function newControlPath(folder: string): string {
  const path = join(folder, `${process.pid}.${randomBytes(4).toString('hex')}`);
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    throw new Fault('E_SOCKET_PATH_INVALID', { about: path });
  }
  return path;
}

/** Removes a socket; ssh does so itself where it is not killed. */
export function removeControlPath(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^(\d+)\.[0-9a-f]{8}/.exec(name)?.[1]);
    if (Number.isSafeInteger(pid) && !isProcessAlive(pid)) removeControlPath(join(folder, name));
  }
}
