// What processes of this machine cost: processor time and memory, read from /proc without starting
// a program. Where there is no /proc, nothing is known.

import { readFileSync } from 'node:fs';

export interface ProcessCost {
  /** Processor time so far. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** /proc counts in units of USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** The cost of one process, all its threads together; null when it cannot be read. */
export function costOf(pid: number): ProcessCost | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    const cpuMs = (user + system) * TICK_MS;
    return Number.isFinite(cpuMs) ? { cpuMs, residentBytes: kilobytes * 1024 } : null;
  } catch {
    return null;
  }
}
