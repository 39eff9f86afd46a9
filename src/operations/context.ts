// What operations may reach of the daemon, as one type that the daemon fills in. Operations hold
// the rules of each question; they do no I/O of their own.

import type { Sightings } from '../core/sightings.ts';
import type { PaneRecord, World } from '../core/world.ts';
import type { AdapterList, AlertItem, DaemonInfo } from '../schema/api/health.ts';
import type { HooksAnswer, HooksInput } from '../schema/api/hooks.ts';
import type { IngestEvent, IngestResult } from '../schema/api/ingest.ts';
import type { LedgerEvent } from '../schema/api/ledger.ts';
import type { HistoryQuery, HistoryStep } from '../schema/history.ts';
import type { ChannelName, PaneKey, RequestId, RuntimeId, TargetId } from '../schema/ids.ts';
import type { Outcome } from '../schema/outcome.ts';
import type { Target } from '../schema/target.ts';
import type { RegisteredSource } from './source-registry.ts';

/** How far a source was read, and how far of that is in the store. */
export interface StoredCursor {
  readonly fetched: string | null;
  readonly committed: string | null;
}

/** The machines that are watched, as far as operations change them. */
export interface TargetsPort {
  /** What the world does not hold: why it is not well, and when it last answered. */
  readonly statusOf: (targetId: TargetId) => {
    readonly detail: string | null;
    readonly lastSeenAtMs: number | null;
  };
  readonly add: (target: Target) => Target;
  /** Resolves when it was reached or has failed. */
  readonly connect: (targetId: TargetId) => Promise<void>;
  readonly remove: (targetId: TargetId) => void;
}

/** What a pane shows now. */
export interface PaneScreen {
  /** The visible lines with their escape sequences, joined by newlines. */
  readonly ansi: string;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly inMode: boolean;
  readonly panePid: number;
}

/** The ways into the daemon. Everything is of now: ask again for later. */
export interface Context {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly sightings: () => Sightings;
  /** When a live source last confirmed the row. */
  readonly lastSeenAtMs: (pane: PaneRecord) => number;
  /** The branch of the repository around a folder of a local pane; null where there is none. */
  readonly gitBranch: (pane: PaneRecord) => string | null;
  /** One look at the screen of a pane; null when it is gone. Rejects with a Fault. */
  readonly screenOf: (pane: PaneRecord) => Promise<PaneScreen | null>;
  readonly history: (query: HistoryQuery) => readonly HistoryStep[];
  readonly eventsOfRuntime: (runtimeId: RuntimeId, limit: number) => readonly LedgerEvent[];
  readonly adapters: () => AdapterList;
  readonly setAdapterEnabled: (agent: string, enabled: boolean) => Outcome<AdapterList>;
  readonly alerts: (query: { readonly includeResolved: boolean }) => readonly AlertItem[];
  readonly acknowledgeAlert: (alertId: string) => Outcome<AlertItem>;
  readonly resolveAlert: (alertId: string) => Outcome<AlertItem>;
  readonly info: () => DaemonInfo;
  /** Prometheus text. */
  readonly metrics: () => string;
  /** Ends the daemon after the answer was sent. */
  readonly stop: (reason: string) => void;
  /** Resolves after the commit, one result for each event. Without a channel: the door's own. */
  readonly ingest: (
    events: readonly IngestEvent[],
    channel?: ChannelName,
  ) => Promise<readonly IngestResult[]>;
  /** Notes that a channel lives. */
  readonly beat: (channel: ChannelName) => void;
  /** Registered third-party sources by id; the operations are its only writers besides the pull. */
  readonly sources: Map<string, RegisteredSource>;
  /** A source has registered, moved or was revoked: asking it begins or ends. */
  readonly sourcesChanged: () => void;
  readonly loadSourceCursor: (channel: ChannelName) => StoredCursor | null;
  readonly saveSourceCursor: (
    channel: ChannelName,
    fetched: string | null,
    committed: string | null,
  ) => void;
  /** Says which agent is in a pane that cannot be looked into. Rejects with a Fault. */
  readonly tag: (paneKey: PaneKey, agent: string | null) => Promise<Outcome<null>>;
  readonly targets: TargetsPort;
  /** Works on the hooks of agents on a machine. */
  readonly hooks: (targetId: TargetId, input: HooksInput) => Promise<Outcome<HooksAnswer>>;
  readonly markSeen: (paneKey: PaneKey, requestIds: readonly RequestId[]) => void;
}
