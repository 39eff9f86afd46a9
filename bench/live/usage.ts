// What processes cost, read from /proc without starting any: CPU time of a process with all its
// threads and children, and the memory that is theirs (PSS).

import { readdirSync, readFileSync } from 'node:fs';

/** CPU time in ms by process; children that came and went are counted with their parent. */
export type CpuTimes = ReadonlyMap<number, number>;

const TICK_MS = 10;

function text(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // It has ended.
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A process and everything below it. */
export function treeOf(pid: number): readonly number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    (text(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter((each) => each !== ''),
  );
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}

function threadsMs(pid: number): number {
  const spent = threadsOf(pid).map((thread) =>
    Number((text(`/proc/${pid}/task/${thread}/schedstat`) ?? '0').split(' ')[0]),
  );
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Of children that have ended and were waited for; in ticks of 10 ms. */
function endedChildrenMs(pid: number): number {
  const stat = text(`/proc/${pid}/stat`) ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * TICK_MS;
}

export function cpuTimes(pids: readonly number[]): CpuTimes {
  return new Map(pids.map((pid) => [pid, threadsMs(pid) + endedChildrenMs(pid)]));
}

/** Milliseconds between two readings; a process that ended in between is its parent's. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): number {
  let sum = 0;
  for (const [pid, spentMs] of after) sum += spentMs - (before.get(pid) ?? 0);
  return sum;
}

/** The memory that is some processes' share (PSS), in MB. */
export interface Memory {
  readonly totalMb: number;
  /** Without the pages of the program's own file, which the page cache can give back. */
  readonly withoutProgramMb: number;
}

const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$/;
const FIGURE = /^(Pss|Anonymous): +(\d+) kB$/;

/**
 * The share in kB of one process and of the pages in it that are the program's file, from its
 * smaps. Pages of the file that it has written to are its own.
 */
export function parseSmaps(
  smaps: string,
  program: string,
): { readonly totalKb: number; readonly programKb: number } {
  let totalKb = 0;
  let programKb = 0;
  let isProgram = false;
  for (const line of smaps.split('\n')) {
    const path = MAPPING.exec(line)?.[1];
    if (path !== undefined) isProgram = path === program;
    const [, name, kilobytes = '0'] = FIGURE.exec(line) ?? [];
    if (name === 'Pss') totalKb += Number(kilobytes);
    if (!isProgram || name === undefined) continue;
    programKb += name === 'Pss' ? Number(kilobytes) : -Number(kilobytes);
  }
  return { totalKb, programKb };
}

/**
 * The memory of some processes that run or were started by a program. Whoever else runs the same
 * file takes a share of its pages: measure a daemon that runs its own copy.
 */
export function memoryOf(pids: readonly number[], program: string): Memory {
  const shares = pids.map((pid) => parseSmaps(text(`/proc/${pid}/smaps`) ?? '', program));
  const totalKb = shares.reduce((sum, share) => sum + share.totalKb, 0);
  const programKb = shares.reduce((sum, share) => sum + share.programKb, 0);
  return { totalMb: totalKb / 1024, withoutProgramMb: (totalKb - programKb) / 1024 };
}

/** The last process id that was given out in this PID namespace; null where that cannot be read. */
export function lastPid(): number | null {
  const last = text('/proc/sys/kernel/ns_last_pid');
  return last === null ? null : Number(last);
}
