// New records, steps that several events share, and the changes for the store.

import type { LastOfRuntime } from '../../schema/change.ts';
import type { PaneKey, RuntimeId, SourceName, TargetId } from '../../schema/ids.ts';
import { isLive } from '../evidence/denials.ts';
import { acceptClaim, slotKey } from '../evidence/slots.ts';
import { phaseOf, precedenceOfPhase } from '../phase.ts';
import { blankRow } from '../state/answer.ts';
import { liveClaims } from '../state/verdict.ts';
import {
  type Draft,
  liveRuntime,
  type PaneRecord,
  putRuntime,
  type RuntimeRecord,
  type StampedClaim,
  sessionAt,
  writable,
} from '../world.ts';

export function newPane(paneKey: PaneKey, targetId: TargetId, atMs: number): PaneRecord {
  return {
    paneKey,
    targetId,
    facts: null,
    runtimeId: null,
    paneEpoch: 0,
    pastRuntimes: [],
    goneAtMs: null,
    snooze: null,
    boundTitles: [],
    row: blankRow(atMs),
  };
}

/** Removes a runtime that is over, and the session that only it held. */
export function forgetRuntime(draft: Draft, runtimeId: RuntimeId): void {
  const runtime = draft.runtimes.get(runtimeId);
  writable(draft, 'runtimes').delete(runtimeId);
  if (runtime) leaveSession(draft, runtime);
}

/** The runtime does not hold its session any more; another that does keeps it. */
export function leaveSession(draft: Draft, { targetId, session, runtimeId }: RuntimeRecord): void {
  if (!session) return;
  const place = sessionAt(targetId, session.sessionKey);
  if (draft.sessions.get(place)?.runtimeId !== runtimeId) return;
  writable(draft, 'sessions').delete(place);
}

export function notePane(draft: Draft, paneKey: PaneKey, atMs: number): void {
  const pane = draft.panes.get(paneKey);
  if (!pane) return;
  const { facts, targetId, goneAtMs } = pane;
  draft.changes.push({ kind: 'pane', paneKey, facts, targetId, goneAtMs, atMs });
}

/**
 * The wait after a start is over once the process and one level source were read, and no level is
 * left that would win over those: a title may say less than the screen that is read after it.
 */
export function withReconfirm(
  runtime: RuntimeRecord,
  reconfirm: RuntimeRecord['reconfirm'],
): RuntimeRecord {
  const isOver = reconfirm?.processSeen === true && reconfirm.levelRead && !awaitsWinner(runtime);
  return { ...runtime, reconfirm: isOver ? null : reconfirm };
}

/** Whether a level that is not yet accepted goes before every claim that is. */
function awaitsWinner(runtime: RuntimeRecord): boolean {
  const [winner] = liveClaims(runtime);
  const order = ({ says }: StampedClaim): number => precedenceOfPhase(phaseOf(says));
  return [...runtime.slots.values()].some(({ pending }) => {
    if (pending?.kind !== 'level' || !isLive(pending, runtime.denials)) return false;
    return winner === undefined || order(pending) < order(winner.claim);
  });
}

export function noteRuntime(draft: Draft, runtimeId: RuntimeId, endReason: string | null): void {
  const runtime = draft.runtimes.get(runtimeId);
  if (!runtime) return;
  const { targetId, paneKey, paneEpoch, agent, pid, startedAtMs, endedAtMs } = runtime;
  const last = endedAtMs === null ? null : lastOf(draft, runtime);
  draft.changes.push({
    kind: 'runtime',
    runtime: {
      runtimeId,
      targetId,
      paneKey,
      paneEpoch,
      agent,
      pid,
      startedAtMs,
      endedAtMs,
      endReason,
      last,
    },
  });
}

function lastOf(draft: Draft, { paneKey, session, activity }: RuntimeRecord): LastOfRuntime {
  const pane = draft.panes.get(paneKey);
  const { facts = null, seatPath = null } = pane ?? {};
  const place = facts?.locations.find(({ active }) => active) ?? facts?.locations[0];
  const prompt = activity.get('prompt')?.value;
  return {
    sessionKey: session?.sessionKey ?? null,
    prompt: typeof prompt === 'string' ? prompt : null,
    path: facts?.path ?? seatPath,
    server: facts?.server ?? null,
    sessionName: place?.sessionName ?? null,
  };
}

/** Accepts a claim that was waiting for a second reading, which is also a reading of a level. */
export function confirmClaim(
  draft: Draft,
  runtimeId: RuntimeId,
  source: SourceName,
  about: string,
): void {
  const runtime = liveRuntime(draft, runtimeId);
  const slot = runtime?.slots.get(slotKey(source, about));
  if (!runtime || !slot?.pending) return;
  const reconfirm = runtime.reconfirm && { ...runtime.reconfirm, levelRead: true };
  putRuntime(draft, withReconfirm(acceptClaim(runtime, slot, slot.pending), reconfirm));
}
