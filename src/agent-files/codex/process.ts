// Facts about the process of a Codex: its folder, its command line, and the rollouts that it holds
// open. A process that holds its own threads is understood without a server.

import { readlink } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { optionValue } from '../../agents/identify/command.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { childrenOf, readWholeText } from '../files/process-facts.ts';
import type { Rollout } from './rollouts.ts';
import { isThreadId, threadOfRollout } from './thread.ts';

const COMMAND_LINE_BYTES_MAX = 16_384;
const COMMAND_NAME_BYTES_MAX = 64;
/** npm's launcher starts the real program and waits for it. */
const LAUNCHER_DEPTH_MAX = 3;
const CHILDREN_MAX = 64;

export interface CodexProcess {
  /** The process that works: a launcher's child where there is one. */
  readonly pid: number;
  readonly home: string;
  /** The socket of the server that its command line names. */
  readonly remote: string | null;
  /** The folder that its command line names, where it works instead of its own. */
  readonly folder: string | null;
  /** The thread that its command line names. */
  readonly resumes: string | null;
  /** It runs its threads itself, even if there are servers. */
  readonly isAlone: boolean;
}

/** Null when the process cannot be read or has not become Codex yet. */
export async function codexProcess(
  files: MachineFiles,
  launcherPid: number,
): Promise<CodexProcess | null> {
  const pid = await workingPid(files, launcherPid);
  const env = pid === null ? null : await files.environment(pid, ['CODEX_HOME', 'HOME']);
  if (pid === null || env === null) return null;
  const home = env['CODEX_HOME'] || join(env['HOME'] || files.home, '.codex');
  if (!isAbsolute(home)) return null;
  const [, ...words] = (
    await readWholeText(files, `/proc/${pid}/cmdline`, COMMAND_LINE_BYTES_MAX)
  ).split('\0');
  return {
    pid,
    home,
    remote: socketOf(optionValue(words, '--remote') ?? ''),
    folder: optionValue(words, '--cd') ?? optionValue(words, '-C'),
    resumes: resumedThread(words),
    isAlone: isAlone(words),
  };
}

/** A server that is reached by another way is as good as none. */
const isAlone = (words: readonly string[]): boolean =>
  aloneCommands.has(words[0] ?? '') ||
  words.some((word) => aloneOptions.has(word)) ||
  socketOf(optionValue(words, '--remote') ?? 'unix:///') === null;

const aloneCommands: ReadonlySet<string> = new Set(['exec', 'e', 'review']);
const aloneOptions: ReadonlySet<string> = new Set([
  '--no-daemon',
  '--dangerously-bypass-hook-trust',
]);

function resumedThread(words: readonly string[]): string | null {
  const at = words.indexOf('resume');
  return at < 0 ? null : (words.slice(at + 1).find(isThreadId) ?? null);
}

async function workingPid(files: MachineFiles, launcherPid: number): Promise<number | null> {
  let pids: readonly number[] = [launcherPid];
  for (let depth = 0; depth < LAUNCHER_DEPTH_MAX && pids.length > 0; depth += 1) {
    const children: number[] = [];
    for (const pid of pids) {
      const name = await readWholeText(files, `/proc/${pid}/comm`, COMMAND_NAME_BYTES_MAX);
      if (name.trim() === 'codex') return pid;
      children.push(...(await childrenOf(files, pid)));
    }
    pids = children.slice(0, CHILDREN_MAX);
  }
  return null;
}

/** The path in `unix:///path`; null where it is no such address. */
export function socketOf(address: string): string | null {
  const path = address.startsWith('unix://') ? address.slice('unix://'.length) : '';
  return isAbsolute(path) ? path : null;
}

/** The socket of the server that all TUIs of one folder share. */
export const sharedSocket = (home: string): string =>
  join(home, 'app-server-control', 'app-server-control.sock');

const LOCKS_FOLDER = 'thread-writer-locks';
const lockName = new RegExp(`/${LOCKS_FOLDER}/([^/]+)\\.lock$`);

/** The folder that changes when a thread is opened or closed. */
export const locksFolder = (home: string): string => join(home, LOCKS_FOLDER);

export interface OpenThreads {
  /** Ids of all threads that the process holds. */
  readonly threadIds: readonly string[];
  readonly rollouts: readonly Rollout[];
}

/** The threads that a process holds by its open files. A rollout comes with the first prompt. */
export async function openThreads(files: MachineFiles, pid: number): Promise<OpenThreads | null> {
  const open = await files.openFiles(pid);
  if (open === null) return null;
  const rollouts = [...new Set(open)].flatMap((path) => {
    const threadId = threadOfRollout(path);
    return threadId === null ? [] : [{ threadId, path }];
  });
  const locked = open.flatMap((path) => lockName.exec(path)?.[1] ?? []).filter(isThreadId);
  const held = [...locked, ...rollouts.map(({ threadId }) => threadId)];
  return { threadIds: [...new Set(held)], rollouts };
}

/** Where a process of this machine works. */
export async function workingFolder({ pid, folder }: CodexProcess): Promise<string | null> {
  const own = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return own === null || folder === null ? own : resolve(own, folder);
}
