// How a turn ended, once no active claim is live (rule 7 of docs/laws.md). Decided by the
// latest moments of failure, interruption and completion, never by the order of arrival.

import type { ReasonCode } from '../../schema/state.ts';
import type { ChannelRecord, Mark, Marks, RuntimeRecord, World } from '../world.ts';

/** A reading is up to a second late: "running" may be stamped after the end of a short turn. */
const LEVEL_LAG_MS = 1_000;

export type Rest =
  | { readonly how: 'failed'; readonly mark: Mark }
  | { readonly how: 'interrupted'; readonly mark: Mark | null; readonly reason: ReasonCode }
  | { readonly how: 'completed'; readonly mark: Mark; readonly certain: boolean }
  | { readonly how: 'never_active' }
  /** An event source that reports completions still has time to report this one. */
  | { readonly how: 'undecided' };

/** How the turn ended. Call it only when no claim of an active phase or an error is live. */
export function restOf(runtime: RuntimeRecord, channels: World['channels']): Rest {
  const { marks } = runtime;
  const inThisTurn = (mark: Mark | null): mark is Mark =>
    mark !== null && mark.atMs >= turnStartFor(marks, mark.kind) && mark.atMs >= beganAt(marks);
  if (inThisTurn(marks.failed)) return { how: 'failed', mark: marks.failed };
  if (inThisTurn(marks.interrupted)) {
    const reason = marks.interrupted.reason ?? 'interrupted';
    return { how: 'interrupted', mark: marks.interrupted, reason };
  }
  if (inThisTurn(marks.completed)) {
    return { how: 'completed', mark: marks.completed, certain: true };
  }
  if (!wasActive(marks) || marks.rest === null) return { how: 'never_active' };
  if (!hasCompletionSource(runtime, channels)) {
    return { how: 'completed', mark: marks.rest, certain: false };
  }
  const judged = runtime.restJudgedAtMs !== null && runtime.restJudgedAtMs >= turnStart(marks);
  return judged ? { how: 'interrupted', mark: null, reason: 'interrupted' } : { how: 'undecided' };
}

/** The time of the last activity; minus infinity when there was none. */
export function turnStart(marks: Marks): number {
  return turnStartFor(marks, 'level');
}

function turnStartFor(marks: Marks, kind: 'edge' | 'level'): number {
  const edgeMs = marks.activeEdgeAtMs ?? Number.NEGATIVE_INFINITY;
  const levelMs = marks.activeLevelAtMs ?? Number.NEGATIVE_INFINITY;
  return Math.max(edgeMs, kind === 'edge' ? levelMs - LEVEL_LAG_MS : levelMs);
}

const beganAt = ({ beganAtMs }: Marks): number => beganAtMs ?? Number.NEGATIVE_INFINITY;

/** Whether there was any activity in the current agent session. */
function wasActive(marks: Marks): boolean {
  const activeAtMs = turnStart(marks);
  return activeAtMs > Number.NEGATIVE_INFINITY && activeAtMs >= beganAt(marks);
}

/** Whether a working event source of this runtime reports completions. */
function hasCompletionSource(
  runtime: RuntimeRecord,
  channels: ReadonlyMap<string, ChannelRecord>,
): boolean {
  for (const source of runtime.sources.values()) {
    const alive = channels.get(source.channel)?.status !== 'down';
    if (source.kind === 'edge' && alive && source.covers.includes('completed')) return true;
  }
  return false;
}
