// One lock on the working tree, so that two commands started at once do not install or build into
// it together. The lock is a folder that is renamed into place with its owner's name inside, so it
// never exists without one. Plain JavaScript for Node 18 and newer.

import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_NAME = '.agtmux-lock';

const RETRY_MS = 200;

const GUARD_AGE_MAX_MS = 10_000;

// The start time in /proc tells a living owner from another process that got the same pid later.
/** @param {number} pid */
function processStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

// The owner as written in the lock, or undefined when the lock was released meanwhile.
/** @param {string} folder */
function readOwner(folder) {
  try {
    const [pid = '', start = ''] = readFileSync(join(folder, 'owner'), 'utf8').trim().split(' ');
    return { pid: Number(pid), start };
  } catch {
    return undefined;
  }
}

/** @param {{ pid: number, start: string }} owner */
function isStale(owner) {
  if (!Number.isInteger(owner.pid) || owner.pid <= 0 || !isRunning(owner.pid)) return true;
  const now = processStart(owner.pid);
  return owner.start !== '' && now !== '' && owner.start !== now;
}

// Rename onto a folder that is not empty fails, which makes it the atomic test-and-set.
/** @param {string} lock */
function tryTake(lock) {
  const fresh = `${lock}-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  writeFileSync(join(fresh, 'owner'), `${process.pid} ${processStart(process.pid)}\n`);
  try {
    renameSync(fresh, lock);
    return true;
  } catch {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
}

// Moves the lock aside first: emptied in its place, another process could take it half removed.
/** @param {string} lock */
function removeLock(lock) {
  const aside = `${lock}-${process.pid}-old`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

// Removes a dead owner's lock. Only one waiter at a time may do it, and it looks again first: else
// a slow waiter could remove the lock that a quick one has just taken over.
/** @param {string} lock */
function removeStale(lock) {
  const guard = `${lock}-takeover`;
  try {
    mkdirSync(guard);
  } catch {
    removeOldGuard(guard);
    return;
  }
  const owner = readOwner(lock);
  if (owner !== undefined && isStale(owner)) removeLock(lock);
  rmdirSync(guard);
}

// A guard lives for microseconds; one this old was left by a process that died inside it.
/** @param {string} guard */
function removeOldGuard(guard) {
  try {
    if (Date.now() - statSync(guard).mtimeMs > GUARD_AGE_MAX_MS) rmdirSync(guard);
  } catch {
    // Its owner has removed it meanwhile, which is all we wanted.
  }
}

// Waits until the lock on `root` is ours and returns the function that releases it. `onWait` is
// told once which process holds it.
/**
 * @param {string} root
 * @param {(pid: number) => void} [onWait]
 * @returns {Promise<() => void>}
 */
export async function takeTreeLock(root, onWait = () => {}) {
  const lock = join(root, LOCK_NAME);
  let isReported = false;
  while (!tryTake(lock)) {
    const owner = readOwner(lock);
    if (owner !== undefined && isStale(owner)) {
      removeStale(lock);
    } else if (owner !== undefined && !isReported) {
      isReported = true;
      onWait(owner.pid);
    }
    await sleep(RETRY_MS);
  }
  const release = () => removeLock(lock);
  process.once('exit', release);
  return () => {
    process.off('exit', release);
    release();
  };
}
