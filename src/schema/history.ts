// The steps of a pane's history, as the store keeps them and operations return them, and the agents
// that have ended.

import type { LastOfRuntime } from './change.ts';
import type { AgentName, PaneKey, RuntimeId, TargetId } from './ids.ts';
import type { PaneRow } from './pane.ts';

/** One change of a pane's version, as it was answered then; newest first where listed. */
export interface HistoryStep {
  /** Grows with the order of writing; a step may have begun before an earlier one. */
  readonly stepId: number;
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

/** A stretch of time, from its first moment to the one after its last. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A step as it was written, also one that a later step replaced: what times are added up from. */
export interface TimelineStep {
  /** Grows with the order of writing; a step may have begun before an earlier one. */
  readonly id: number;
  /** The step before it of the same pane; null where there is none any more. */
  readonly previousId: number | null;
  readonly paneKey: PaneKey;
  readonly agent: AgentName | null;
  readonly targetId: TargetId | null;
  /** The first session that showed the pane then; null for an agent without a pane. */
  readonly sessionName: string | null;
  readonly state: PaneRow['state'];
  readonly reasonCode: PaneRow['reasonCode'];
  readonly presence: PaneRow['presence'];
  readonly atMs: number;
  /** When it was written, where the step before it is one of an unknown state that began later. */
  readonly learnedAtMs: number | null;
}

/** An agent that has ended: enough to start it again. */
export interface EndedAgent extends LastOfRuntime {
  readonly runtimeId: RuntimeId;
  readonly targetId: TargetId;
  readonly paneKey: PaneKey;
  readonly paneId: string | null;
  readonly agent: AgentName;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly endReason: string | null;
  readonly title: string | null;
}
