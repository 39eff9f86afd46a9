// Events of runtimes: one life of one agent process in a pane. A new life ends the old one, with
// all that was claimed of it, and takes over the evidence that was waiting for it.

import type { EventOf } from '../../schema/event.ts';
import { id, type SourceName } from '../../schema/ids.ts';
import { noDenials } from '../evidence/denials.ts';
import {
  type Draft,
  liveRuntime,
  type PaneRecord,
  putPane,
  putRuntime,
  type RuntimeRecord,
} from '../world.ts';
import { endRuntime, noteEnding } from './ending.ts';
import { bindPending, bindSession } from './evidence.ts';
import { newPane, notePane, noteRuntime, withReconfirm } from './records.ts';

export function runtimeStarted(draft: Draft, event: EventOf<'runtime.started'>): void {
  const pane = event.seat ? panelessPane(draft, event) : draft.panes.get(event.paneKey);
  const before = draft.runtimes.get(event.runtimeId);
  if (!pane || pane.goneAtMs !== null || before?.endedAtMs === null) return;
  if (pane.runtimeId !== null) {
    endRuntime(draft, pane.runtimeId, { atMs: event.atMs, reason: 'replaced' });
  }
  const current = draft.panes.get(pane.paneKey) ?? pane;
  const paneEpoch = before?.paneEpoch ?? current.paneEpoch + 1;
  putPane(draft, {
    ...current,
    runtimeId: event.runtimeId,
    paneEpoch: Math.max(current.paneEpoch, paneEpoch),
    pastRuntimes: current.pastRuntimes.filter((each) => each !== event.runtimeId),
    snooze: null,
    ending: null,
    boundTitles: before ? current.boundTitles : [],
  });
  const runtime = newRuntime(event, pane, paneEpoch);
  putRuntime(draft, before ? resumeRuntime(runtime, before) : runtime);
  noteRuntime(draft, event.runtimeId, null);
  if (event.sessionKey !== undefined) {
    const { sessionKey, atMs } = event;
    bindSession(draft, event.runtimeId, { sessionKey, atMs, source: id<SourceName>('process') });
  }
  bindPending(draft);
}

/** The same process was missed and is found again: its claims have ended, its cursors have not. */
const resumeRuntime = (runtime: RuntimeRecord, before: RuntimeRecord): RuntimeRecord => ({
  ...runtime,
  sources: before.sources,
  seen: before.seen,
  session: before.session,
});

/** The record of a paneless agent: made by its start, or its old one if that is still kept. */
function panelessPane(draft: Draft, event: EventOf<'runtime.started'>): PaneRecord | undefined {
  const { paneKey, seat, atMs } = event;
  const before = draft.panes.get(paneKey);
  if (!seat || (before && (before.goneAtMs === null || before.facts !== null))) return before;
  const path = seat.path === undefined ? {} : { seatPath: seat.path };
  const pane = { ...(before ?? newPane(paneKey, seat.targetId, atMs)), ...path, goneAtMs: null };
  putPane(draft, pane);
  notePane(draft, paneKey, atMs);
  return pane;
}

function newRuntime(
  event: EventOf<'runtime.started'>,
  pane: PaneRecord,
  paneEpoch: number,
): RuntimeRecord {
  const { runtimeId, paneKey, agent, pid, startedAtMs, basis, signature } = event;
  return {
    runtimeId,
    paneKey,
    targetId: pane.targetId,
    agent,
    pid,
    startedAtMs,
    foundAtMs: event.atMs,
    basis,
    signature,
    paneEpoch,
    session: null,
    endedAtMs: null,
    slots: new Map(),
    denials: noDenials,
    sources: new Map(),
    marks: {
      activeEdgeAtMs: null,
      activeLevelAtMs: null,
      failed: null,
      interrupted: null,
      completed: null,
      rest: null,
    },
    restJudgedAtMs: null,
    demotedAtMs: null,
    weakenedAtMs: null,
    handshakeAtMs: null,
    missedLooks: 0,
    suspended: false,
    reconfirm: null,
    stuckSinceMs: null,
    activity: new Map(),
    lastActivityAtMs: event.atMs,
    seen: [],
  };
}

export function runtimeKilled(draft: Draft, { runtimeId, atMs }: EventOf<'runtime.killed'>): void {
  const runtime = liveRuntime(draft, runtimeId);
  if (runtime) putRuntime(draft, { ...runtime, killedAtMs: atMs });
}

export function runtimeEnded(draft: Draft, event: EventOf<'runtime.ended'>): void {
  const { runtimeId } = event;
  if (liveRuntime(draft, runtimeId)) endRuntime(draft, runtimeId, event);
  else noteEnding(draft, runtimeId, event);
}

export function runtimeMissed(draft: Draft, event: EventOf<'runtime.missed'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (runtime) putRuntime(draft, { ...runtime, missedLooks: runtime.missedLooks + 1 });
}

export function runtimeFound(draft: Draft, event: EventOf<'runtime.found'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (!runtime) return;
  const reconfirm = runtime.reconfirm && { ...runtime.reconfirm, processSeen: true };
  putRuntime(draft, withReconfirm({ ...runtime, missedLooks: 0 }, reconfirm));
}

export function runtimeSuspended(draft: Draft, event: EventOf<'runtime.suspended'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (runtime) putRuntime(draft, { ...runtime, suspended: event.suspended });
}

export function runtimeStuck(draft: Draft, event: EventOf<'runtime.stuck'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (runtime) putRuntime(draft, { ...runtime, stuckSinceMs: event.stuck ? event.atMs : null });
}

/** Without its process the state of a runtime stays unknown, however long the wait. */
export function reconfirmEnded(draft: Draft, event: EventOf<'reconfirm.ended'>): void {
  const runtime = liveRuntime(draft, event.runtimeId);
  if (!runtime?.reconfirm) return;
  const { reconfirm } = runtime;
  const left = reconfirm.processSeen ? null : { ...reconfirm, isOverdue: true };
  putRuntime(draft, { ...runtime, reconfirm: left });
}
