// The processes of a host as its probe last read them, for callers that cannot wait. Without a
// reading every answer is null.

import { randomBytes } from 'node:crypto';
import type { LocalProcess } from '../../platform/process/processes.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { ProbeClient } from '../probe/probe.ts';
import { sectionsOf } from '../probe/probe-frames.ts';
import type { HostFacts } from './host-facts.ts';
import {
  type ProcessDetail,
  type ProcessRow,
  readDetails,
  readPsArguments,
  readPsRows,
  readStatLines,
  secretProcRoot,
} from './process-rows.ts';

const DEADLINE_MS = 5_000;
/** A pane with more is a fork bomb; what is read of it is cut. */
const DESCENDANTS_MAX = 512;
/** Each may have a long command line, and an answer is bounded. */
const DETAILS_IN_REQUEST = 128;
/** Arguments may be rewritten in place; they are read again after so long, a few at a time. */
const DETAIL_AGE_MS = 120_000;
const OLD_DETAILS_IN_REFRESH = 16;
/** /proc counts in units of USER_HZ, which is 100 on every Linux that matters here. */
const TICK_MS = 10;

/** The first time reported for a boot is kept: it is part of identities, and clocks are set. */
export interface BootPins {
  get(name: string): number | undefined;
  set(name: string, timeMs: number): unknown;
}

export interface ProcessProbe extends ProbeClient {
  readonly facts: HostFacts | null;
}

/** `unsupported`: the host has no way to tell, and nothing may be concluded. */
export type RefreshResult = 'read' | 'unsupported';

interface KnownDetail extends ProcessDetail {
  readonly image: string;
  readonly startedAtMs: number;
  readonly readAtMs: number;
}

export class RemoteProcesses implements HostProcesses {
  readonly #host: ProcessProbe;
  readonly #pins: BootPins;
  readonly #nowMs: () => number;
  readonly #root: string = secretProcRoot(randomBytes(10));
  #byPid: ReadonlyMap<number, LocalProcess> = new Map();
  #children: ReadonlyMap<number, readonly LocalProcess[]> = new Map();
  #details: ReadonlyMap<number, KnownDetail> = new Map();

  constructor(
    host: ProcessProbe,
    { pins = new Map(), nowMs = Date.now }: { pins?: BootPins; nowMs?: () => number } = {},
  ) {
    this.#host = host;
    this.#pins = pins;
    this.#nowMs = nowMs;
  }

  readonly foregroundOf = null;

  /** Reads these processes and all under them. Throws an SshFault; the last reading stays. */
  async refresh(panePids: readonly number[]): Promise<RefreshResult> {
    const { facts } = this.#host;
    const reading = facts?.processReading ?? 'none';
    if (facts && reading === 'none') {
      this.forget();
      return 'unsupported';
    }
    if (facts && reading === 'ps') return this.#refreshByPs(facts);
    const body = await this.#host.ask({
      command: reading === 'scan' ? 'agtmux_scan' : 'agtmux_trees',
      words: reading === 'scan' ? [] : panePids.filter(isPid).map(String),
      deadlineMs: DEADLINE_MS,
    });
    const all = readStatLines(body);
    const rows = reading === 'scan' ? belowOf(all, panePids) : all;
    const bootedAtMs = facts ? this.#bootedAtMs(facts) : 0;
    const startOf = (row: ProcessRow): number => bootedAtMs + (row.startTicks ?? 0) * TICK_MS;
    await this.#readDetails(rows, startOf);
    this.#take(rows, startOf);
    return 'read';
  }

  /** The connection is lost: what was seen says nothing about now. */
  forget(): void {
    this.#byPid = new Map();
    this.#children = new Map();
  }

  tree(pid: number): readonly LocalProcess[] | null {
    const root = this.#byPid.get(pid);
    if (root === undefined) return null;
    const found = [root];
    for (let index = 0; index < found.length && found.length < DESCENDANTS_MAX; index += 1) {
      const parent = found[index] as LocalProcess;
      found.push(...(this.#children.get(parent.pid) ?? []));
    }
    return found.slice(0, DESCENDANTS_MAX);
  }

  startedAtMs(pid: number): number | null {
    return this.#byPid.get(pid)?.startedAtMs ?? null;
  }

  signOf(pid: number): string | null {
    const process = this.#byPid.get(pid);
    if (process === undefined) return null;
    const [state = ''] = process.stat;
    return `${process.startedAtMs} ${/[TtZX]/.test(state) ? state : 'alive'}`;
  }

  async #refreshByPs({ bootId, clockShiftMs }: HostFacts): Promise<RefreshResult> {
    const { secret } = this.#host;
    const body = await this.#host.ask({ command: 'agtmux_ps', deadlineMs: DEADLINE_MS });
    const sections = sectionsOf(secret, body);
    const part = (name: string): string => sections.find((each) => each.name === name)?.body ?? '';
    const rows = readPsRows(part('rows'));
    const shiftMs = this.#pinned(`clock of ${bootId ?? 'a boot without a name'}`, clockShiftMs);
    const startOf = (row: ProcessRow): number => (row.startedAtMs ?? 0) + shiftMs;
    const readAtMs = this.#nowMs();
    const args = readPsArguments(part('arguments'));
    const known = rows.flatMap((row): readonly (readonly [number, KnownDetail])[] => {
      const detail = args.get(row.pid);
      if (!detail) return [];
      return [[row.pid, { ...detail, image: row.image, startedAtMs: startOf(row), readAtMs }]];
    });
    this.#details = new Map(known);
    this.#take(rows, startOf);
    return 'read';
  }

  /** Asks for the arguments of what is new, and of some that were read long ago. */
  async #readDetails(
    rows: readonly ProcessRow[],
    startOf: (row: ProcessRow) => number,
  ): Promise<void> {
    const readAtMs = this.#nowMs();
    const { kept, wanted } = this.#sortByAge(rows, startOf, readAtMs);
    for (let from = 0; from < wanted.length; from += DETAILS_IN_REQUEST) {
      const some = wanted.slice(from, from + DETAILS_IN_REQUEST);
      const { secret } = this.#host;
      const words = [this.#root, ...some.map(({ pid }) => String(pid))];
      const request = { command: 'agtmux_details', words, deadlineMs: DEADLINE_MS } as const;
      const read = readDetails(this.#root, sectionsOf(secret, await this.#host.ask(request)));
      for (const row of some) {
        const detail = read.get(row.pid) ?? { exe: undefined, argv: [] };
        kept.set(row.pid, { ...detail, image: row.image, startedAtMs: startOf(row), readAtMs });
      }
    }
    this.#details = kept;
  }

  #sortByAge(
    rows: readonly ProcessRow[],
    startOf: (row: ProcessRow) => number,
    nowMs: number,
  ): { readonly kept: Map<number, KnownDetail>; readonly wanted: readonly ProcessRow[] } {
    const kept = new Map<number, KnownDetail>();
    const old: ProcessRow[] = [];
    const wanted: ProcessRow[] = [];
    for (const row of rows) {
      const known = this.#details.get(row.pid);
      if (known?.image !== row.image || known.startedAtMs !== startOf(row)) {
        wanted.push(row);
        continue;
      }
      kept.set(row.pid, known);
      if (nowMs - known.readAtMs > DETAIL_AGE_MS) old.push(row);
    }
    return { kept, wanted: [...wanted, ...old.slice(0, OLD_DETAILS_IN_REFRESH)] };
  }

  #take(rows: readonly ProcessRow[], startOf: (row: ProcessRow) => number): void {
    const byPid = new Map<number, LocalProcess>();
    for (const row of rows) {
      const { argv = [], exe } = this.#details.get(row.pid) ?? {};
      const { pid, ppid, comm, stat } = row;
      byPid.set(pid, { pid, ppid, comm, argv, exe, stat, startedAtMs: startOf(row) });
    }
    this.#byPid = byPid;
    this.#children = Map.groupBy(byPid.values(), ({ ppid }) => ppid);
  }

  /** By our clock: how old a process is, and what came after its start, is judged by that. */
  #bootedAtMs({ bootId, bootedAtMs, clockShiftMs }: HostFacts): number {
    const reportedMs = (bootedAtMs ?? 0) + clockShiftMs;
    return bootId === null ? reportedMs : this.#pinned(bootId, reportedMs);
  }

  #pinned(name: string, reportedMs: number): number {
    const pinned = this.#pins.get(name);
    if (pinned === undefined) this.#pins.set(name, reportedMs);
    return pinned ?? reportedMs;
  }
}

const isPid = (pid: number): boolean => Number.isSafeInteger(pid) && pid > 0;

/** The processes with these ids and all under them. */
function belowOf(rows: readonly ProcessRow[], pids: readonly number[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, ({ ppid }) => ppid);
  const wanted = new Set(pids);
  const found = rows.filter(({ pid }) => wanted.has(pid));
  const seen = new Set(found.map(({ pid }) => pid));
  for (let index = 0; index < found.length; index += 1) {
    for (const child of children.get((found[index] as ProcessRow).pid) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      found.push(child);
    }
  }
  return found;
}
