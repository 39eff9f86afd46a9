// Whether a daemon can use the folders of its socket and its state, asked before one is started: a
// daemon that cannot write to its state folder has no place to write down why. Also which daemon
// holds the state folder.

import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statfsSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { folderErrno } from '../platform/files/folder-errno.ts';
import { CliProblem, EXIT_NO_INPUT, EXIT_UNAVAILABLE, exitCodeOf } from './exit-codes.ts';

/** The JSON-RPC code of store_full in schema/problem.ts, which is not loaded here. */
const RPC_CANNOT_WRITE = -32_012;
/** With less, SQLite can write neither a page of its log nor a region of the index of it. */
const FREE_BYTES_MIN = 65_536;

const problem = (code: string, message: string, hint: string): CliProblem =>
  new CliProblem(code, message, { exitCode: exitCodeOf(RPC_CANNOT_WRITE), hint });

const full = (folder: string): CliProblem =>
  problem('store_full', `the disk of ${folder} or its quota is full.`, 'Free some space.');

/** A mistyped `--socket-path` creates no folder. The default folder is the daemon's to create. */
export function checkSocketFolder(socketPath: string): void {
  const folder = dirname(socketPath);
  if (existsSync(folder)) return;
  throw new CliProblem('E_INPUT_INVALID', `the folder ${folder} of the socket does not exist.`, {
    exitCode: EXIT_NO_INPUT,
    hint: 'Check --socket-path, or create the folder with mode 700.',
  });
}

/** The JSON-RPC code of E_DAEMON_RUNNING in schema/problem.ts, which is not loaded here. */
const RPC_CONFLICT = -32_002;

/** Another socket of the same state folder: the daemon that holds the folder lets no second in. */
export async function checkOtherDaemon(folder: string, socketPath: string): Promise<void> {
  const { readHolder } = await import('../daemon/life/instance-lock.ts');
  const holder = readHolder(join(folder, 'agtmuxd.lock'));
  if (holder === null || resolve(holder.socket) === resolve(socketPath)) return;
  throw new CliProblem(
    'E_DAEMON_RUNNING',
    `another daemon uses ${folder} (pid ${holder.pid}, socket ${holder.socket}).`,
    { exitCode: exitCodeOf(RPC_CONFLICT), hint: 'Pass its socket with -s, or set XDG_STATE_HOME.' },
  );
}

/** The daemon that holds this socket, as the lock of its state folder says; it need not answer. */
export async function lockedPid(folder: string, socketPath: string): Promise<number | null> {
  const { readHolder } = await import('../daemon/life/instance-lock.ts');
  const holder = readHolder(join(folder, 'agtmuxd.lock'));
  return holder && resolve(holder.socket) === resolve(socketPath) ? holder.pid : null;
}

/** It takes connections and answers none of them. */
export function daemonHangs(pid: number | null): CliProblem {
  const who = pid === null ? '' : ` (pid ${pid})`;
  return new CliProblem('timeout', `the daemon${who} does not answer.`, {
    exitCode: EXIT_UNAVAILABLE,
    hint: 'agtmux daemon stop ends it; the next command starts another.',
  });
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

/**
 * The file for the stderr of a daemon, which is there afterwards. Null in a folder that the daemon
 * itself will refuse: through a link it could be any file of the user. Throws a CliProblem that
 * names the cause.
 */
export function checkStateFolder(folder: string): string | null {
  const file = join(folder, 'agtmuxd.stderr');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return null;
    closeSync(openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600));
  } catch (error) {
    const errno = folderErrno(folder, error);
    if (errno === 'ENOSPC' || errno === 'EDQUOT') throw full(folder);
    const why = errno === 'EROFS' ? 'its disk is read-only' : (error as Error).message;
    throw problem(
      'store_unwritable',
      `${folder} cannot be written to: ${why}.`,
      'Check the owner and mode of the folder and how its disk is mounted, or set XDG_STATE_HOME.',
    );
  }
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < FREE_BYTES_MIN) throw full(folder);
  return file;
}
