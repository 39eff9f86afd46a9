// The end of a runtime: every claim of it ends; its record stays a while, for evidence that names
// it. A crash, and the exit of a program under `agtmux run`, stay with the pane until they are seen
// or another agent starts there.

import type { EventOf } from '../../schema/event.ts';
import { id, type RequestId, type RuntimeId } from '../../schema/ids.ts';
import type { State } from '../../schema/state.ts';
import { noDenials } from '../evidence/denials.ts';
import { isEndByKill } from '../identity/kill.ts';
import {
  type Draft,
  type Ending,
  liveRuntime,
  putPane,
  putRuntime,
  type RuntimeRecord,
} from '../world.ts';
import { forgetRuntime, noteRuntime } from './records.ts';

/** Ended runtimes remembered for each pane; late evidence names the last one or two. */
const PAST_RUNTIMES_MAX = 4;

type EndFact = Omit<EventOf<'runtime.ended'>, 'eventId' | 'type' | 'runtimeId'>;
export type RuntimeEnd = Pick<EndFact, 'atMs' | 'reason'> & Partial<EndFact>;

/** Ends a runtime and every claim of it. Its record stays a while, for evidence that names it. */
export function endRuntime(draft: Draft, runtimeId: RuntimeId, end: RuntimeEnd): void {
  const runtime = liveRuntime(draft, runtimeId);
  const pane = runtime && draft.panes.get(runtime.paneKey);
  if (!runtime || !pane) return;
  const { atMs } = end;
  putRuntime(draft, { ...runtime, endedAtMs: atMs, slots: new Map(), denials: noDenials });
  const past = [...pane.pastRuntimes, runtimeId];
  for (const old of past.splice(0, Math.max(0, past.length - PAST_RUNTIMES_MAX))) {
    forgetRuntime(draft, old);
  }
  const ending = endingOf(runtime, end) ?? pane.ending ?? null;
  putPane(draft, { ...pane, runtimeId: null, pastRuntimes: past, ending, snooze: null });
  noteRuntime(draft, runtimeId, end.reason);
}

/** How an agent ended, reported after its end: it counts while no other agent is in the pane. */
export function noteEnding(draft: Draft, runtimeId: RuntimeId, end: RuntimeEnd): void {
  const runtime = draft.runtimes.get(runtimeId);
  const pane = runtime && draft.panes.get(runtime.paneKey);
  if (!pane || pane.runtimeId !== null || pane.goneAtMs !== null) return;
  if (pane.pastRuntimes.at(-1) !== runtimeId) return;
  // What was observed goes before what was inferred; nothing else is taken back.
  if (pane.ending?.isCertain) return;
  const ending = endingOf(runtime, end);
  const isRefuted = end.wrapped === true || (end.exitCode ?? null) !== null;
  if (ending || (pane.ending && isRefuted)) putPane(draft, { ...pane, ending });
}

/** What is shown of an end; null for a clean exit or a kill: nobody asked to be told of those. */
function endingOf(runtime: RuntimeRecord, end: RuntimeEnd): Ending | null {
  const { agent, runtimeId } = runtime;
  const { atMs, crashed, wrapped, exitCode = null, signal, during } = end;
  if (isEndByKill(runtime, atMs)) return null;
  if (!crashed && !(wrapped && exitCode === 0)) return null;
  const kind = crashed ? 'crash' : 'exit';
  const status = signal ?? (exitCode === null ? null : `exit code ${exitCode}`);
  return {
    kind,
    requestId: id<RequestId>(`${kind}@${atMs}`),
    runtimeId,
    agent,
    sinceMs: atMs,
    how: howEnded(status, during),
    isCertain: status !== null,
    isSeen: false,
    isOld: false,
  };
}

function howEnded(status: string | null, during: State | undefined): string {
  if (status !== null) return `ended with ${status}`;
  return during === undefined ? 'ended' : `ended while ${during}`;
}

/** A crash that was seen is over; a clean exit stays the state of the pane while it is news. */
export const endingSeen = (ending: Ending): Ending | null =>
  ending.kind === 'crash' || ending.isOld ? null : { ...ending, isSeen: true };

/** A clean exit is no longer news; it asks to be seen until it was. */
export const endingOutdated = (ending: Ending): Ending | null =>
  ending.isSeen ? null : { ...ending, isOld: true };
