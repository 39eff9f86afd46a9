// The steps of a pane's history, as the store keeps them and operations return them.

import type { AgentName, PaneKey, RuntimeId } from './ids.ts';
import type { PaneRow } from './pane.ts';

/** One change of a pane's version, as it was answered then; newest first where listed. */
export interface HistoryStep {
  readonly paneKey: PaneKey;
  readonly runtimeId: RuntimeId | null;
  /** Null too when retention has forgotten the runtime. */
  readonly agent: AgentName | null;
  readonly state: PaneRow['state'];
  readonly reasonCode: PaneRow['reasonCode'];
  readonly presence: PaneRow['presence'];
  readonly source: string | null;
  readonly stateVersion: number;
  readonly atMs: number;
}

export interface HistoryQuery {
  /** Absent: of every pane. */
  readonly paneKey?: PaneKey;
  readonly sinceMs?: number;
  readonly limit: number;
}
