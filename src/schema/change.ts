// Changes: what one batch of events did to the world, as data. core/reduce returns them; the store
// writes them in the same transaction as the events; the daemon publishes the rows among them.

import type {
  AgentName,
  ChannelName,
  EventId,
  PaneKey,
  RuntimeId,
  SessionKey,
  SourceName,
  TargetId,
} from './ids.ts';
import type { PaneFacts, PaneRow } from './pane.ts';
import type { BindingState, ChannelStatus } from './state.ts';
import type { Target } from './target.ts';

/** How far one source has been read for one runtime: nothing up to this is applied again. */
export interface SourceCursor {
  readonly sourceSeq: number | null;
  readonly eventTimeMs: number;
  readonly ingestedAtMs: number;
  readonly eventId: EventId;
}

/** The steps between the binding states of a pane, by name. */
export type BindingTransition =
  | 'heuristic_signature'
  | 'deterministic_handshake'
  | 'freshness_exceeded'
  | 'deterministic_return'
  | 'no_agent_twice'
  | 'process_gone'
  | 'pane_reused';

export interface RuntimeRow {
  readonly runtimeId: RuntimeId;
  readonly targetId: TargetId;
  readonly paneKey: PaneKey;
  readonly paneEpoch: number;
  readonly agent: AgentName;
  readonly pid: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly endReason: string | null;
  /** What a person needs to start it again; null while it runs. */
  readonly last: LastOfRuntime | null;
}

/** What an agent was doing, and where, when it ended. */
export interface LastOfRuntime {
  readonly sessionKey: SessionKey | null;
  readonly prompt: string | null;
  readonly path: string | null;
  /** The socket of its tmux server; null for an agent without a pane. */
  readonly server: string | null;
  readonly sessionName: string | null;
}

export type Change =
  | { readonly kind: 'target'; readonly target: Target; readonly atMs: number }
  | { readonly kind: 'target_removed'; readonly targetId: TargetId }
  | {
      readonly kind: 'pane';
      readonly paneKey: PaneKey;
      /** Null for a paneless agent. */
      readonly facts: PaneFacts | null;
      readonly targetId: TargetId;
      readonly goneAtMs: number | null;
      readonly atMs: number;
    }
  | { readonly kind: 'pane_forgotten'; readonly paneKey: PaneKey }
  | { readonly kind: 'runtime'; readonly runtime: RuntimeRow }
  | {
      readonly kind: 'row';
      readonly paneKey: PaneKey;
      readonly row: PaneRow;
      /** Version that the stored row must still have (compare-and-set); null: no row yet. */
      readonly expectedVersion: number | null;
      readonly eventId: EventId;
      /** When its version changed: the state may have begun before it was read. */
      readonly atMs: number;
    }
  | {
      readonly kind: 'cursor';
      readonly runtimeId: RuntimeId;
      readonly source: SourceName;
      readonly cursor: SourceCursor;
    }
  | {
      readonly kind: 'binding';
      readonly paneKey: PaneKey;
      readonly runtimeId: RuntimeId | null;
      readonly sessionKey: SessionKey | null;
      readonly from: BindingState;
      readonly to: BindingState;
      readonly transition: BindingTransition;
      readonly atMs: number;
    }
  | {
      readonly kind: 'session';
      readonly sessionKey: SessionKey;
      readonly runtimeId: RuntimeId;
      readonly agent: AgentName;
      readonly title: string | null;
      readonly atMs: number;
    }
  | {
      /** What became of evidence that had to wait for its runtime. */
      readonly kind: 'disposition';
      readonly eventId: EventId;
      readonly disposition: 'bound' | 'dropped_unbound';
      readonly runtimeId: RuntimeId | null;
    }
  | {
      readonly kind: 'channel';
      readonly channel: ChannelName;
      readonly status: ChannelStatus;
      readonly atMs: number;
    };
