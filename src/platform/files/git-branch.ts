// The branch and the worktree around a folder, read from its files: no git is started. Folders may
// lie on a file system that hangs, so they are read asynchronously, few at a time. Callers
// get the last value read.

import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

/** A reading older than this is refreshed on request. */
const KEPT_MS = 5_000;
const FOLDERS_MAX = 2_000;
const DEPTH_MAX = 64;
const NAME_LENGTH_MAX = 200;
const READS_MAX = 2;
/** A read that takes longer counts as hanging: others may start. */
const HANGS_AFTER_MS = 2_000;
/** One that hangs may do so for ever, and holds one of Node's four threads for files. */
const THREADS_MAX = 3;
const HEAD_BYTES_MAX = 4_096;

/** What is checked out around a folder; both are null outside a repository. */
export interface GitCheckout {
  readonly branch: string | null;
  /** The top folder of the worktree. */
  readonly worktree: string | null;
}

export const NO_CHECKOUT: GitCheckout = { branch: null, worktree: null };

interface CachedCheckout extends GitCheckout {
  readonly readAtMs: number;
}

export interface GitBranches {
  /** What is known of the folder by now. */
  of(folder: string): GitCheckout;
}

export interface GitBranchesOptions {
  readonly hangsAfterMs: number;
  /** Reads one folder; never rejects. */
  readonly readCheckout: (folder: string) => Promise<GitCheckout>;
}

/** Makes a reader with a memory of its own; `onChange` reports folders whose checkout changed. */
export function gitBranches(
  nowMs: () => number,
  onChange: (folder: string) => void = () => {},
  options: GitBranchesOptions = { hangsAfterMs: HANGS_AFTER_MS, readCheckout },
): GitBranches {
  const known = new Map<string, CachedCheckout>();
  const waiting = new Set<string>();
  /** A folder that hangs is not read again. */
  const reading = new Set<string>();
  const hanging = new Set<string>();

  const read = async (folder: string): Promise<void> => {
    const { branch, worktree } = await options.readCheckout(folder);
    const before = known.get(folder) ?? NO_CHECKOUT;
    if (known.size >= FOLDERS_MAX) known.clear();
    known.set(folder, { branch, worktree, readAtMs: nowMs() });
    if (branch !== before.branch || worktree !== before.worktree) onChange(folder);
  };

  const readOn = (): void => {
    const [folder] = waiting;
    const isFull = reading.size - hanging.size >= READS_MAX || reading.size >= THREADS_MAX;
    if (folder === undefined || isFull) return;
    waiting.delete(folder);
    reading.add(folder);
    const timer = setTimeout(() => {
      hanging.add(folder);
      readOn();
    }, options.hangsAfterMs).unref();
    read(folder).finally(() => {
      clearTimeout(timer);
      reading.delete(folder);
      hanging.delete(folder);
      readOn();
    });
  };

  return {
    of(folder) {
      const now = known.get(folder);
      const isFresh = now !== undefined && nowMs() - now.readAtMs < KEPT_MS;
      const mayRead = isAbsolute(folder) && !reading.has(folder) && waiting.size < FOLDERS_MAX;
      if (!isFresh && mayRead) {
        waiting.add(folder);
        readOn();
      }
      return now ?? NO_CHECKOUT;
    },
  };
}

async function readCheckout(folder: string): Promise<GitCheckout> {
  let current = folder;
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const head = await headOf(join(current, '.git'));
    if (head !== null) return { branch: branchOf(head), worktree: current };
    const above = dirname(current);
    if (above === current) return NO_CHECKOUT;
    current = above;
  }
  return NO_CHECKOUT;
}

/** The text of HEAD. In a worktree `.git` is a file that names the folder. */
async function headOf(git: string): Promise<string | null> {
  try {
    const found = await stat(git);
    if (found.isDirectory()) return await smallText(join(git, 'HEAD'));
    const named = /^gitdir: (.+)$/m.exec((await smallText(git)) ?? '')?.[1];
    if (named === undefined) return null;
    return await smallText(join(isAbsolute(named) ? named : join(dirname(git), named), 'HEAD'));
  } catch {
    return null;
  }
}

/** A pipe of that name would be read for ever. */
async function smallText(file: string): Promise<string | null> {
  const found = await stat(file);
  if (!found.isFile() || found.size > HEAD_BYTES_MAX) return null;
  return readFile(file, 'utf8');
}

/** `main` of `ref: refs/heads/main`; the first digits of a commit that has no branch. */
function branchOf(head: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  // Repositories with another store of references have this in its place.
  if (branch === '.invalid') return null;
  if (branch !== undefined) return branch.slice(0, NAME_LENGTH_MAX);
  return /^[0-9a-f]{12}/.exec(head)?.[0] ?? null;
}
