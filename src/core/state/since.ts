// Since when a pane is in its state: from when its evidence says so, not from when that was read.
// While a restart or a lost connection hides the state, the last known one is held, and counts on
// where it is confirmed as it was.

import type { EventOf, WorldEvent } from '../../schema/event.ts';
import type { PaneRow } from '../../schema/pane.ts';
import { effectiveTimeMs } from '../evidence/ordering.ts';
import type { LastKnownState, RuntimeRecord } from '../world.ts';

export type RowState = Pick<PaneRow, 'state' | 'reasonCode' | 'presence' | 'runtimeId'>;

export interface RowMove {
  readonly before: PaneRow;
  readonly held: LastKnownState | null;
  readonly content: RowState & Pick<PaneRow, 'evidence'>;
  readonly runtime: RuntimeRecord | null;
  readonly event: WorldEvent;
}

export function sameState(a: RowState, b: RowState): boolean {
  return (
    a.state === b.state &&
    a.reasonCode === b.reasonCode &&
    a.presence === b.presence &&
    a.runtimeId === b.runtimeId
  );
}

/** Whether the state is only hidden: the agent is there and has to be read again. */
const isHidden = ({ reasonCode }: RowState): boolean =>
  reasonCode === 'reconfirming' || reasonCode === 'target_unreachable';

/** What is held after a move: the last known state, until another one is known. */
export function lastKnownAfter({ before, held, content }: RowMove): LastKnownState | null {
  if (content.state !== 'unknown' || content.runtimeId !== before.runtimeId) return null;
  const isEnded = !isHidden(content);
  if (isEnded && before.state === 'unknown') return held;
  if (held && (isEnded || !held.isEnded)) return held;
  const { state, reasonCode, presence, runtimeId, sinceMs } = before;
  return { state, reasonCode, presence, runtimeId, sinceMs, ...(isEnded && { isEnded }) };
}

/** Since when the state that a row moves to holds. */
export function sinceOf(move: RowMove): number {
  const { before, held, content, runtime, event } = move;
  if (held && !held.isEnded && sameState(held, content)) return held.sinceMs;
  if (event.type === 'target.changed') return unreachableSince(move, event);
  const wasUnknown = before.state === 'unknown';
  const { atMs } = content.evidence;
  const isReported = event.type === 'evidence.observed' || wasUnknown;
  if (content.state === 'unknown' || !isReported || atMs === null) return event.atMs;
  // What was not known may have begun before; what was known lasted until the event that ended it,
  // also where an older claim counts again.
  const known = held ?? (wasUnknown ? null : before);
  if (held && atMs < held.sinceMs) return event.atMs;
  const endedMs = wasUnknown ? 0 : reportedMs(event);
  const beganMs = Math.min(runtime?.startedAtMs ?? 0, runtime?.foundAtMs ?? event.atMs);
  const leastMs = Math.max(known?.sinceMs ?? 0, beganMs, endedMs);
  return Math.min(event.atMs, Math.trunc(Math.max(leastMs, atMs)));
}

/** Since the last answer of the target, and not before what was last known. */
function unreachableSince(
  { before, held, content }: RowMove,
  { target, atMs }: EventOf<'target.changed'>,
): number {
  if (content.reasonCode !== 'target_unreachable') return atMs;
  const knownMs = isHidden(before) ? (held?.sinceMs ?? 0) : before.sinceMs;
  return Math.min(atMs, Math.max(knownMs, target.answeredAtMs ?? atMs));
}

const reportedMs = (event: WorldEvent): number =>
  event.type === 'evidence.observed' ? effectiveTimeMs(event.evidence) : event.atMs;
