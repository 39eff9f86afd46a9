// One daemon for each runtime folder. The lock is an exclusive transaction on a small SQLite file,
// because Node has no flock: the system frees it when the process ends, however it ends. Beside it
// lies a note that says who holds it. What must be true before the socket is made is checked here
// too.

import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../platform/fault.ts';
import { folderErrno } from '../../platform/files/folder-errno.ts';
import { isProcessAlive } from '../../platform/process/process-alive.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { ProblemCode } from '../../schema/problem.ts';
import { asFault } from '../../store/sqlite/sqlite-fault.ts';

/** Who holds the lock, as far as its note says. */
export interface Holder {
  readonly pid: number;
  readonly socket: string;
}

export interface InstanceLock extends Disposable {
  readonly path: string;
}

/** sun_path has 108 bytes on Linux and 104 elsewhere, the last one a zero. */
const SOCKET_BYTES_MAX = process.platform === 'linux' ? 107 : 103;
/** A daemon answers in milliseconds; one that is stopped does not, and still holds its socket. */
const ANSWER_MS = 500;
/** How long to wait for a daemon that is ending; a client waits 5 s for a start. */
const ENDING_MS = 3_000;
const RETRY_MS = 50;
/** SQLITE_BUSY, in the low byte of the error code. */
const BUSY = 5;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const noteOf = (path: string): string => `${path}.json`;

/** Who holds the lock at `path`; null when its note is absent, unreadable or of a dead process. */
export function readHolder(path: string): Holder | null {
  try {
    const { pid, socket } = JSON.parse(readFileSync(noteOf(path), 'utf8')) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof socket !== 'string') return null;
    return isProcessAlive(pid) ? { pid, socket } : null;
  } catch {
    return null;
  }
}

// Nothing else in this process may open the file: closing any descriptor of it would free the lock,
// because that is how POSIX locks work.
function lockFile(path: string): DatabaseSync | null {
  // SQLite would make it with the modes of the umask.
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const isBusy =
      error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
    if (isBusy) return null;
    throw error;
  }
}

/** Takes the lock; a refusal names its holder if known. The folder must exist (`prepareFolder`). */
export function acquireInstanceLock(path: string, socket: string): Outcome<InstanceLock> {
  let db: DatabaseSync | null;
  try {
    db = lockFile(path);
  } catch (error) {
    const fault = asFault(error, path);
    const code = fault instanceof Fault ? fault.code : 'store_unwritable';
    return refuse(code, `the lock ${path} cannot be made: ${messageOf(error)}`);
  }
  if (db === null) {
    const holder = readHolder(path);
    const who = holder === null ? '' : `: pid ${holder.pid}, socket ${holder.socket}`;
    return refuse('E_DAEMON_RUNNING', `another daemon holds ${path}${who}`);
  }
  writeNote(path, { pid: process.pid, socket });
  return ok(heldLock(path, db));
}

/** Waits for the lock of a daemon that is ending; refuses at once when its socket answers. */
export async function waitForInstanceLock(
  path: string,
  socket: string,
  waitMs: number = ENDING_MS,
): Promise<Outcome<InstanceLock>> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const lock = acquireInstanceLock(path, socket);
    if (lock.ok || lock.refusal.code !== 'E_DAEMON_RUNNING') return lock;
    const holder = readHolder(path);
    const isEnding = holder === null || (await ask(holder.socket)) === 'nobody';
    if (!isEnding || performance.now() > deadlineMs) return lock;
    await pause(RETRY_MS);
  }
}

// A connection that nobody refers to is closed by the garbage collector, and its lock is freed.
const held = new Set<DatabaseSync>();

function heldLock(path: string, db: DatabaseSync): InstanceLock {
  held.add(db);
  return {
    path,
    [Symbol.dispose]: () => {
      if (!held.delete(db)) return;
      // The note goes first: the next holder writes its own only after the lock is free.
      rmSync(noteOf(path), { force: true });
      db.close();
    },
  };
}

// The lock holds without it; the note only names the holder.
function writeNote(path: string, note: Holder): void {
  try {
    writeFileSync(noteOf(path), JSON.stringify(note), { mode: 0o600 });
  } catch {
    rmSync(noteOf(path), { force: true });
  }
}

const diskCodes: ReadonlyMap<string, ProblemCode> = new Map<string, ProblemCode>([
  ['ENOSPC', 'store_full'],
  ['EDQUOT', 'store_full'],
  ['EROFS', 'store_unwritable'],
]);

/** Makes the runtime folder, or refuses one that another user could change or reach into. */
export function prepareFolder(folder: string): Outcome<null> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const errno = folderErrno(folder, error);
    const code = diskCodes.get(errno) ?? 'E_FOLDER_UNSAFE';
    return refuse(code, `${folder} cannot be made: ${errno}: ${messageOf(error)}`);
  }
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) return refuse('E_FOLDER_UNSAFE', `${folder} is not a folder`);
  const uid = process.getuid?.() ?? stat.uid;
  if (stat.uid !== uid) {
    return refuse('E_FOLDER_UNSAFE', `${folder} belongs to user ${stat.uid} and not to ${uid}`);
  }
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) === 0) return ok(null);
  return refuse(
    'E_FOLDER_UNSAFE',
    `${folder} has mode ${mode.toString(8)}, others may reach into it: chmod 700 it`,
  );
}

/** Refuses a path that the system would cut or not take. */
export function checkSocketPath(path: string): Outcome<null> {
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_BYTES_MAX && !path.includes('\0')) return ok(null);
  return refuse(
    'E_SOCKET_PATH_INVALID',
    `the socket path has ${bytes} bytes, the system takes ${SOCKET_BYTES_MAX}: ${path}`,
  );
}

type Answer = 'answers' | 'nobody' | 'unclear';

// 'unclear': a full backlog or a stopped process still listens.
function ask(path: string): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: Answer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => end('unclear'));
    socket.once('connect', () => end('answers'));
    socket.once('error', (error) => {
      const isNobody = 'code' in error && ['ECONNREFUSED', 'ENOENT'].includes(String(error.code));
      end(isNobody ? 'nobody' : 'unclear');
    });
  });
}

/** Checks folder and length, and removes a dead daemon's socket. Needs the lock. */
export async function prepareSocket(path: string, _lock: InstanceLock): Promise<Outcome<null>> {
  for (const check of [checkSocketPath(path), prepareFolder(dirname(path))]) {
    if (!check.ok) return check;
  }
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return ok(null);
  if (!stat.isSocket()) return refuse('E_NOT_PERMITTED', `${path} exists and is not a socket`);
  const answer = await ask(path);
  if (answer === 'nobody') {
    rmSync(path, { force: true });
    return ok(null);
  }
  const what =
    answer === 'answers' ? 'another process answers' : 'another process may still listen';
  return refuse('E_DAEMON_RUNNING', `${what} at ${path}`);
}
