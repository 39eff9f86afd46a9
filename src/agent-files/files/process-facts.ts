// Facts about a process from the files of /proc, and small files as text. Every read is bounded; a
// file that cannot be read counts as empty.

import type { MachineFiles } from './machine-files.ts';

const STAT_BYTES_MAX = 4_096;
/** A wrapper has one child; an agent at work has some. */
const CHILDREN_MAX = 16;

/** The text of a file up to a size; empty where it cannot be read. */
export async function readWholeText(
  files: MachineFiles,
  path: string,
  bytesMax: number,
): Promise<string> {
  const bytes = await files.read(path, { offset: 0, bytesMax });
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

/** Who started a process, and when in the kernel's own units. */
export interface ProcessOrigin {
  readonly ppid: number;
  readonly procStart: string;
}

/** Null when the process does not exist or cannot be read. */
export async function originOf(files: MachineFiles, pid: number): Promise<ProcessOrigin | null> {
  const text = await readWholeText(files, `/proc/${pid}/stat`, STAT_BYTES_MAX);
  // `pid (comm) S ppid ...`: the start is the 22nd field; the name may hold blanks and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid] = fields;
  const procStart = fields[19];
  // One that has ended keeps its number until its parent asks for it.
  const isOver = state === 'Z' || state === 'X';
  return procStart === undefined || isOver ? null : { ppid: Number(ppid), procStart };
}

/** Where a program of another name starts the real one, that one is among them. */
export async function childrenOf(files: MachineFiles, pid: number): Promise<readonly number[]> {
  const text = await readWholeText(files, `/proc/${pid}/task/${pid}/children`, STAT_BYTES_MAX);
  const pids = text.split(' ').map(Number);
  return pids.filter((child) => child > 0).slice(0, CHILDREN_MAX);
}

export interface OpenFile {
  /** The process that holds it: the agent's, or what a wrapper has started. */
  readonly pid: number;
  readonly path: string;
}

/** The first open file of a process or of its children that has such a path. */
export async function openFileOf(
  files: MachineFiles,
  pid: number,
  pattern: RegExp,
): Promise<OpenFile | null> {
  for (const each of [pid, ...(await childrenOf(files, pid))]) {
    const path = (await files.openFiles(each))?.find((open) => pattern.test(open));
    if (path !== undefined) return { pid: each, path };
  }
  return null;
}
