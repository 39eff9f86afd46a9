// The panes of the world as sources need them: enough to say whose evidence a signal is. The daemon
// answers from its world; sources keep nothing of it.

import type { Observation } from '../core/ingest.ts';
import type { EventOf } from '../schema/event.ts';
import type { AgentName, PaneKey, RuntimeId, SessionKey, TargetId } from '../schema/ids.ts';
import type { PaneFacts } from '../schema/pane.ts';

export interface KnownRuntime {
  readonly runtimeId: RuntimeId;
  readonly agent: AgentName;
  /** Null where no process can be seen. */
  readonly pid: number | null;
  readonly startedAtMs: number;
  readonly basis: EventOf<'runtime.started'>['basis'];
  readonly sessionKey: SessionKey | null;
  /** Whether its pane option has made a claim about it, perhaps before the daemon was restarted. */
  readonly hasOptionClaim?: boolean;
}

export interface KnownPane {
  readonly paneKey: PaneKey;
  readonly facts: PaneFacts;
  readonly runtime: KnownRuntime | null;
  /** Tells the lives of agents apart where no process can be seen. */
  readonly nextEpoch: number;
}

/** Where a tmux server is: its target, and the path of its socket there. */
export interface ServerAddress {
  readonly targetId: TargetId;
  readonly server: string;
}

/** The way from sources into the daemon. */
export interface Daemon {
  /** The one clock; it never goes back. */
  readonly nowMs: () => number;
  readonly nextEventId: () => string;
  /** When this life of the daemon began: events from before are backfill. */
  readonly startedAtMs: number;
  /** Hands in what was observed; it is applied and stored before this returns. */
  readonly submit: (observations: readonly Observation[]) => void;
  readonly paneAt: (address: ServerAddress, paneId: string) => KnownPane | null;
  readonly panesOf: (address: ServerAddress) => readonly KnownPane[];
}

/** Each batch is submitted before the next is read; the generator gets back whether that worked. */
export type Batches<Result = void> = Generator<readonly Observation[], Result, boolean>;
