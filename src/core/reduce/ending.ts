// The end of a runtime: every claim of it ends; its record stays a while, for evidence that names
// it.

import type { EventOf } from '../../schema/event.ts';
import { type AgentName, id, type RequestId, type RuntimeId } from '../../schema/ids.ts';
import { noDenials } from '../evidence/denials.ts';
import { type Draft, liveRuntime, type PaneRecord, putPane, putRuntime } from '../world.ts';
import { forgetRuntime, noteRuntime } from './records.ts';

/** Ended runtimes remembered for each pane; late evidence names the last one or two. */
const PAST_RUNTIMES_MAX = 4;

export interface RuntimeEnd {
  readonly atMs: number;
  readonly reason: EventOf<'runtime.ended'>['reason'];
  readonly crashed?: boolean;
  readonly exitCode?: number | null;
  readonly signal?: string | undefined;
}

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
  const crash = end.crashed ? crashOf(runtime.agent, end) : pane.crash;
  putPane(draft, { ...pane, runtimeId: null, pastRuntimes: past, crash, snooze: null });
  noteRuntime(draft, runtimeId, end.reason);
}

/** A crash that is reported after the end: it counts while no other agent is in the pane. */
export function noteCrash(draft: Draft, runtimeId: RuntimeId, end: RuntimeEnd): void {
  const runtime = draft.runtimes.get(runtimeId);
  const pane = runtime && draft.panes.get(runtime.paneKey);
  if (!pane || pane.runtimeId !== null || pane.goneAtMs !== null || pane.crash) return;
  if (pane.pastRuntimes.at(-1) !== runtimeId) return;
  putPane(draft, { ...pane, crash: crashOf(runtime.agent, end) });
}

function crashOf(
  agent: AgentName,
  { atMs, exitCode = null, signal }: RuntimeEnd,
): NonNullable<PaneRecord['crash']> {
  const how = signal === undefined ? `exit code ${exitCode}` : signal;
  const note = exitCode === null && signal === undefined ? agent : `${agent} ended with ${how}`;
  return { requestId: id<RequestId>(`crash@${atMs}`), sinceMs: atMs, note };
}
