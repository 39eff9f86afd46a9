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

/** Proportional set size of some processes, in MB. */
export function pssMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(text(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** What they hold for themselves: whoever else runs the same program changes none of it. */
export function privateMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Private_Dirty:\s+(\d+) kB/m.exec(text(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** The last process id that was given out in this PID namespace; null where that cannot be read. */
export function lastPid(): number | null {
  const last = text('/proc/sys/kernel/ns_last_pid');
  return last === null ? null : Number(last);
}
