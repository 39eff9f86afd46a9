// What `agtmux doctor` looks at: this machine as it is, and the daemon where one answers. Shapes
// only; gather.ts reads them and judge.ts says what they mean.

import type { AdapterList, AlertItem, DaemonInfo, SourceHealthItem } from '../schema/api/health.ts';
import type { TargetItem } from '../schema/api/targets.ts';

export interface ServerFact {
  readonly socketPath: string;
  readonly listens: boolean;
  /** Why nobody listens, or what is wrong. */
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
  readonly spool: FileFact & { readonly waiting: number; readonly refused: number };
  readonly config: {
    readonly path: string;
    readonly exists: boolean;
    readonly problems: readonly string[];
    readonly tap: string;
    readonly cpuPercentMax: number;
  };
  readonly database: { readonly path: string; readonly bytes: number | null };
  readonly freeBytes: number | null;
  readonly emitter: { readonly path: string; readonly isRunnable: boolean };
  /** Agents that are used here, and whether our hooks tell of them. */
  readonly hooks: readonly { readonly agent: string; readonly state: string }[];
  readonly isUtf8: boolean;
  readonly term: string;
}

/** What the daemon says of itself, and what its processes cost. */
export interface DaemonFacts {
  readonly info: DaemonInfo;
  readonly sources: readonly SourceHealthItem[];
  readonly adapters: AdapterList;
  readonly alerts: readonly AlertItem[];
  readonly targets: readonly TargetItem[];
  readonly lastSnapshotAtMs: number | null;
  readonly cost: WatchCost;
}

/** The cost of watching. Null: it cannot be told (yet, or on this system). */
export interface WatchCost {
  /** Of one core, over the last minute. */
  readonly daemonCpuPercent: number | null;
  readonly daemonBytes: number | null;
  /** Processes of the daemon: its tmux clients, and ssh where there is one. */
  readonly clients: number | null;
  /** Of one core, since they were started. */
  readonly clientsCpuPercent: number | null;
  readonly clientsBytes: number | null;
  /** Programs that the daemon has started since its start. */
  readonly processesStarted: number | null;
  readonly eventsPerMinute: number | null;
}

export interface Facts {
  readonly ourVersion: string;
  readonly machine: MachineFacts;
  /** Null: no daemon answers. */
  readonly daemon: DaemonFacts | null;
  readonly nowMs: number;
}
