// May this action run? Decided on a server-side snapshot of the row that the caller saw, and again
// right before a key is sent. Fails closed.

import type { ActionGuards, ActionSnapshot } from '../schema/action.ts';
import type { PaneKey, RuntimeId, SnapshotId } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { PaneRow } from '../schema/pane.ts';
import type { PaneRecord, World } from './world.ts';

/** What the daemon believed of a pane when an action was requested. */
export function takeSnapshot(
  world: World,
  pane: PaneRecord,
  { snapshotId, nonce, nowMs }: { snapshotId: SnapshotId; nonce: string; nowMs: number },
): ActionSnapshot {
  return {
    snapshotId,
    targetId: pane.targetId,
    paneKey: pane.paneKey,
    runtimeId: pane.row.runtimeId,
    stateVersion: pane.row.stateVersion,
    observedAtMs: nowMs,
    expiresAtMs: nowMs + world.config.actionSnapshotMs,
    nonce,
  };
}

export interface ActionRequest {
  readonly snapshot: Omit<ActionSnapshot, 'snapshotId' | 'nonce' | 'targetId'>;
  readonly guards: ActionGuards;
  /** When a live source last confirmed the row. */
  readonly lastSeenAtMs: number;
  readonly nowMs: number;
}

/**
 * The pane to act on, or why not. `forceStale` forgives an expired snapshot and a changed version,
 * never another runtime: the keys would reach another agent, or the shell that it left behind.
 */
export function checkAction(
  world: World,
  request: ActionRequest,
): Outcome<{ paneKey: PaneKey; runtimeId: RuntimeId | null }> {
  const { snapshot, guards } = request;
  const pane = world.panes.get(snapshot.paneKey);
  if (!pane || pane.goneAtMs !== null) {
    return refuse('E_REF_NOT_FOUND', `pane ${snapshot.paneKey} is gone`);
  }
  if (world.targets.get(pane.targetId)?.health === 'down') {
    return refuse('E_TARGET_UNREACHABLE', `target ${pane.targetId} does not answer`);
  }
  const { row, paneKey } = pane;
  const refusal =
    refuseRuntime(row, snapshot.runtimeId) ??
    (guards.forceStale ? null : refuseStale(row, request)) ??
    refuseConditions(row, request);
  return refusal ?? ok({ paneKey, runtimeId: row.runtimeId });
}

function refuseRuntime({ runtimeId }: PaneRow, expected: RuntimeId | null) {
  if (runtimeId === expected) return null;
  return refuse('E_RUNTIME_STALE', `the pane now holds ${runtimeId ?? 'no agent'}`);
}

function refuseStale(row: PaneRow, { snapshot, nowMs }: ActionRequest) {
  if (nowMs >= snapshot.expiresAtMs) {
    const waitedMs = nowMs - snapshot.observedAtMs;
    return refuse('E_SNAPSHOT_EXPIRED', `the action waited for ${waitedMs} ms, which is too long`);
  }
  if (row.stateVersion !== snapshot.stateVersion) {
    return refuse('E_PRECONDITION_FAILED', `the pane changed and is now ${row.state}`);
  }
  return null;
}

function refuseConditions(row: PaneRow, { guards, lastSeenAtMs, nowMs }: ActionRequest) {
  const { ifRuntime, ifState, ifUpdatedWithinMs } = guards;
  const otherRuntime = ifRuntime === undefined ? null : refuseRuntime(row, ifRuntime);
  if (otherRuntime) return otherRuntime;
  // A pane that shows how its agent ended holds a shell.
  if (ifState !== undefined && (row.presence !== 'managed' || row.state !== ifState)) {
    return refuse('E_PRECONDITION_FAILED', `the pane is ${row.state}, not ${ifState}`);
  }
  if (ifUpdatedWithinMs !== undefined && nowMs - lastSeenAtMs > ifUpdatedWithinMs) {
    return refuse('E_PRECONDITION_FAILED', `the pane was last seen ${nowMs - lastSeenAtMs} ms ago`);
  }
  return null;
}
