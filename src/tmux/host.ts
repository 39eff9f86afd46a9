// The machine on which tmux runs: how tmux is started there, whether a server listens, which
// processes run. Here it is this machine; over ssh it is another.

import type { LaunchSpec } from '../platform/process/launch.ts';
import type { LocalProcess } from '../platform/process/processes.ts';
import { clientEnvironment } from './invocation.ts';
import { type ProbeResult, probeSocket } from './socket-probe.ts';

/** A way to start tmux once. */
export interface Opening {
  readonly launch: LaunchSpec;
  /** To be called when a program that stays has begun, with its process there. */
  started?(pid: number): void;
  /** To be called when the program has ended, with its stderr. */
  release(stderr?: string): void;
}

export interface Host {
  /** How tmux is started with these arguments. Throws a Fault where it cannot be now. */
  open(kind: 'command' | 'tap', args: readonly string[]): Promise<Opening>;
  /** Whether a server listens. Throws a Fault where that is not known. */
  probe(socketPath: string, signal: AbortSignal): Promise<ProbeResult>;
  /** The processes of all its taps, by their ids there: the host ends those that are left over. */
  setTapPids(pids: readonly number[]): void;
}

/** Processes of a host, as last seen. */
export interface HostProcesses {
  /** Reads these and their descendants again; null when every answer is current anyway. */
  readonly refresh: ((panePids: readonly number[]) => Promise<unknown>) | null;
  /** The process and everything under it, parents first; null when it cannot be read. */
  tree(pid: number): readonly LocalProcess[] | null;
  startedAtMs(pid: number): number | null;
  /** Equal as long as it is the same process, neither stopped nor over since; null without one. */
  signOf(pid: number): string | null;
  /** What runs in the foreground of a process's terminal; null where that would cost a request. */
  readonly foregroundOf: ((pid: number) => string | null) | null;
}

/** This machine. Its taps end with us by their tether. */
export const localHost: Host = {
  async open(_kind, args) {
    const env = clientEnvironment();
    const launch = { command: 'tmux', args, env, isTethered: true, input: '', marker: null };
    return { launch, release: () => {} };
  },
  probe: probeSocket,
  setTapPids: () => {},
};
