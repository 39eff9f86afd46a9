// The port of what happened before: the states of panes, the events of runtimes, and when a daemon
// ran. Read from the store.

import type { LedgerEvent } from '../../schema/api/ledger.ts';
import type { HistoryQuery, HistoryStep, TimelineStep, TimeSpan } from '../../schema/history.ts';
import type { PaneKey, RuntimeId } from '../../schema/ids.ts';

export interface HistoryPort {
  readonly history: (query: HistoryQuery) => readonly HistoryStep[];
  readonly eventsOfRuntime: (runtimeId: RuntimeId, limit: number) => readonly LedgerEvent[];
  /** The steps of all panes as they were written; each call is one short read. */
  readonly timeline: {
    /** At most `limit` steps written before `beforeId` (null: the newest), newest first. */
    readonly page: (beforeId: number | null, limit: number) => readonly TimelineStep[];
    readonly step: (stepId: number) => TimelineStep | null;
    /** The newest step of every pane that is there. */
    readonly heads: () => ReadonlyMap<PaneKey, number>;
  };
  readonly daemonRuns: {
    /** When a daemon ran, in the order of time and without overlaps. */
    readonly spans: (nowMs: number) => readonly TimeSpan[];
  };
}
