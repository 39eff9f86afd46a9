// What `agtmux doctor` looks at: this machine as it is, and the daemon where one answers. Shapes
// only; gather.ts reads them and judge.ts says what they mean.

import type { DaemonReport, DoctorInput, WatchCost } from '../schema/api/doctor.ts';

export interface ServerFact {
  readonly socketPath: string;
  readonly listens: boolean;
  /** Why no server listens, or what is wrong. */
  readonly detail: string;
  readonly sessions: number;
  /** Every session ends when its last client leaves: nothing can be attached to. */
  readonly endsWhenLeft: boolean;
}

export interface FileFact {
  readonly path: string;
  readonly exists: boolean;
  /** Permission bits, as 0o700. */
  readonly mode: number;
  readonly isOurs: boolean;
}

export interface MachineFacts {
  readonly nodeVersion: string;
  /** As `tmux -V` says it; null without a tmux. */
  readonly tmuxVersion: string | null;
  readonly servers: readonly ServerFact[];
  readonly socketFolder: FileFact;
  readonly socket: FileFact;
  readonly stateFolder: FileFact & {
    /** Files in it that others may read or write. */
    readonly openFiles: readonly string[];
    /** Why nothing can be written in it; null where it can. */
    readonly problem: string | null;
  };
  readonly spool: FileFact & { readonly waiting: number; readonly refused: number };
  readonly config: {
    readonly path: string;
    readonly exists: boolean;
    readonly problems: readonly string[];
    /** What everybody may write to, of the file and its folder. */
    readonly openPaths: readonly string[];
    readonly tap: string;
    readonly attach: 'when_safe' | 'always';
    readonly cpuPercentMax: number;
  };
  readonly database: { readonly path: string; readonly bytes: number | null };
  readonly freeBytes: number | null;
  readonly emitter: { readonly path: string; readonly isRunnable: boolean };
  /** Agents that are used here, and the state of their hooks. */
  readonly hooks: readonly { readonly agent: string; readonly state: string }[];
}

/** What the daemon says of itself, and what its processes cost. */
export interface DaemonFacts extends Omit<DaemonReport, 'metrics'> {
  readonly lastSnapshotAtMs: number | null;
  readonly cost: WatchCost;
}

export interface Facts {
  readonly ourVersion: string;
  readonly machine: MachineFacts;
  /** Null: the caller shows nothing on a terminal. */
  readonly terminal: NonNullable<DoctorInput['terminal']> | null;
  /** Null: no daemon answers. */
  readonly daemon: DaemonFacts | null;
  /** Why a daemon that is there does not report; empty where none answers. */
  readonly daemonProblem: string;
  readonly nowMs: number;
}
