// Processes of this machine, read from /proc without starting a program. Only the descendants of
// what is asked for are read: a full read of /proc would cost 19 us for each process there is.

import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LocalProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly comm: string;
  readonly argv: readonly string[];
  readonly exe?: string | undefined;
  /** As ps writes it: the state letter, and `+` in the foreground of its terminal. */
  readonly stat: string;
  readonly startedAtMs: number;
  /** Processor time so far, where it is known. */
  readonly cpu?: CpuTime | undefined;
}

export interface CpuTime {
  readonly usedMs: number;
  /** Of children that have ended, and of theirs. */
  readonly reapedMs: number;
}

/** A pane with more is a fork bomb; what is read of it is cut. */
const DESCENDANTS_MAX = 512;
/** A command line may be megabytes long; the program and its first words identify it. */
const ARGV_LENGTH_MAX = 16_384;
/** /proc counts in units of USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** Reads processes. Start times are stable for one boot, whatever is done to the wall clock. */
export class LocalProcesses {
  readonly #bootedAtMs: number;

  constructor(stateDir: string) {
    this.#bootedAtMs = pinnedBootTime(stateDir);
  }

  /** Every answer is of now. */
  readonly refresh = null;

  /** One process, or null when it is gone or cannot be read. */
  read(pid: number): LocalProcess | null {
    const stat = readStat(pid);
    if (stat === null) return null;
    const { ppid, comm, flags, startTicks, cpu } = stat;
    const argv = readText(`/proc/${pid}/cmdline`).slice(0, ARGV_LENGTH_MAX).split('\0');
    if (argv.at(-1) === '') argv.pop();
    return {
      pid,
      ppid,
      comm,
      argv,
      exe: readLink(`/proc/${pid}/exe`),
      stat: flags,
      startedAtMs: this.#bootedAtMs + startTicks * TICK_MS,
      cpu,
    };
  }

  /** When a process started, or null. Cheaper than reading all of it. */
  startedAtMs(pid: number): number | null {
    const stat = readStat(pid);
    return stat === null ? null : this.#bootedAtMs + stat.startTicks * TICK_MS;
  }

  /** Equal as long as it is the same process, neither stopped nor over since; null without one. */
  signOf(pid: number): string | null {
    const stat = readStat(pid);
    if (stat === null) return null;
    const [state = ''] = stat.flags;
    return `${stat.startTicks} ${/[TtZX]/.test(state) ? state : 'alive'}`;
  }

  /** Changes when another program comes to the foreground of its terminal, or starts another. */
  readonly foregroundOf = (pid: number): string | null => {
    const stat = readStat(pid);
    if (stat === null) return null;
    const { foregroundGroup: group } = stat;
    return `${group} ${readText(`/proc/${group}/task/${group}/children`)}`;
  };

  /** The process and everything under it, parents first; null when it cannot be read. */
  tree(pid: number): readonly LocalProcess[] | null {
    const root = this.read(pid);
    if (root === null) return null;
    const found = [root];
    for (let index = 0; index < found.length && found.length < DESCENDANTS_MAX; index += 1) {
      const parent = found[index] as LocalProcess;
      for (const child of childrenOf(parent.pid)) {
        const process = this.read(child);
        if (process !== null && process.ppid === parent.pid) found.push(process);
      }
    }
    return found.slice(0, DESCENDANTS_MAX);
  }
}

interface Stat {
  readonly ppid: number;
  readonly comm: string;
  readonly flags: string;
  readonly startTicks: number;
  /** The process group in the foreground of its terminal; -1 without a terminal. */
  readonly foregroundGroup: number;
  readonly cpu: CpuTime;
}

// `pid (comm) S ppid pgrp session tty tpgid ...`; the name may hold blanks and brackets.
function readStat(pid: number): Stat | null {
  const text = readText(`/proc/${pid}/stat`);
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(' ');
  const [state = '', ppid = '', group = '', , , terminalGroup = ''] = fields;
  const startTicks = Number(fields[19]);
  if (!Number.isFinite(startTicks)) return null;
  const isForeground = terminalGroup === group;
  return {
    ppid: Number(ppid),
    comm: text.slice(open + 1, close),
    flags: isForeground ? `${state}+` : state,
    startTicks,
    foregroundGroup: Number(terminalGroup),
    cpu: {
      usedMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      reapedMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS,
    },
  };
}

/** A process may be started from any thread of its parent, and each thread has its own list. */
function childrenOf(pid: number): readonly number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    readText(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

/** A process may end during the reading: what cannot be read is empty. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Kept from its first reading in a boot: setting the wall clock would move it, and identities. */
function pinnedBootTime(stateDir: string): number {
  const bootId = readText('/proc/sys/kernel/random/boot_id').trim();
  const bootedAtMs = Number(/^btime (\d+)$/m.exec(readText('/proc/stat'))?.[1] ?? 0) * 1000;
  const file = join(stateDir, 'boot.json');
  const kept = parseBoot(readText(file));
  if (kept?.bootId === bootId && bootId !== '') return kept.bootedAtMs;
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ bootId, bootedAtMs })}\n`, { mode: 0o600 });
  } catch {
    // On a full disk this reader uses the value, and the next one tries to save it.
  }
  return bootedAtMs;
}

function parseBoot(text: string): { bootId: string; bootedAtMs: number } | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const { bootId, bootedAtMs } = value as Record<string, unknown>;
    if (typeof bootId !== 'string' || !Number.isFinite(bootedAtMs)) return null;
    return { bootId, bootedAtMs: bootedAtMs as number };
  } catch {
    return null;
  }
}
