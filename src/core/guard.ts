// May this action run? Decided on a server-side snapshot of the row that the caller saw, and again
// right before a key is sent. Fails closed.

import type { ActionGuards, ActionSnapshot } from '../schema/action.ts';
import type { PaneKey, RequestId, RuntimeId, SnapshotId } from '../schema/ids.ts';
import { type Outcome, ok, refuse } from '../schema/outcome.ts';
import type { OpenRequest, PaneRow } from '../schema/pane.ts';
import { openDialogsOf } from './state/same-dialog.ts';
import type { PaneRecord, World } from './world.ts';

/** By then a row says what came of an answer, or that its dialog is still open. */
const FOLLOW_MS = 2_000;

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
  const now =
    runtimeId === null ? 'no agent is in the pane any more' : 'another agent is there now';
  return refuse('E_RUNTIME_STALE', now);
}

function refuseStale(row: PaneRow, { snapshot, nowMs }: ActionRequest) {
  if (nowMs >= snapshot.expiresAtMs) {
    const waitedMs = Math.round(nowMs - snapshot.observedAtMs);
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
  const agoMs = Math.round(nowMs - lastSeenAtMs);
  if (ifUpdatedWithinMs !== undefined && nowMs - lastSeenAtMs > ifUpdatedWithinMs) {
    return refuse('E_PRECONDITION_FAILED', `the pane was last seen ${agoMs} ms ago`);
  }
  return null;
}

/** The last answer that was given in a pane. */
export interface GivenAnswer {
  readonly requestId: RequestId;
  readonly atMs: number;
  /** Of the row that it was given on. */
  readonly stateVersion: number;
}

/** The open dialog that is meant; without an id the only one. It may have had other ids before. */
export function requestMeant(
  { attention }: PaneRow,
  requestId: string | undefined,
): OpenRequest | undefined {
  if (requestId !== undefined) {
    return attention.requests.find((each) => idsOf(each).some((known) => known === requestId));
  }
  const [only, ...others] = openDialogsOf(attention.requests);
  return others.length === 0 ? only : undefined;
}

/**
 * Whether a request that is still listed was answered, and nobody has read its pane since. What the
 * pane asks by then may be the next thing, in the same words, which nobody was shown.
 */
export function isAlreadyAnswered(
  row: PaneRow,
  meant: OpenRequest,
  {
    given,
    requestedAtMs,
    lastSeenAtMs,
    nowMs,
  }: {
    readonly given: GivenAnswer;
    readonly requestedAtMs: number;
    readonly lastSeenAtMs: number;
    readonly nowMs: number;
  },
): boolean {
  if (!idsOf(meant).includes(given.requestId)) return false;
  const isUnread = lastSeenAtMs <= given.atMs || nowMs - given.atMs < FOLLOW_MS;
  // The next question of a dialog may have the id of the one before, and makes another version.
  return requestedAtMs <= given.atMs || (row.stateVersion === given.stateVersion && isUnread);
}

const idsOf = ({ requestId, earlierIds = [] }: OpenRequest): readonly RequestId[] => [
  requestId,
  ...earlierIds,
];
