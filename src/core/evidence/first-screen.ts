// What a screen shows when it is first read may be text of an earlier run in the same pane. It is
// kept apart from the tables of the runtime, and does not count where a deterministic source has
// reported rest since the process started and no turn: then no turn of this run can be drawn.

import { TURN } from '../../schema/evidence.ts';
import type { SourceName } from '../../schema/ids.ts';
import type { FirstScreen, Marks, RuntimeRecord, Slot, StampedClaim } from '../world.ts';
import { withDenials } from './denials.ts';
import { withMarks } from './marks.ts';

/** An agent that is older when its screen is first read has drawn over what was there. */
const YOUNG_MS = 30_000;

/** Whether a claim, the first of its source, may be drawn by an earlier run. */
export function mayBeOfEarlierRun(claim: StampedClaim, runtime: RuntimeRecord): boolean {
  if (claim.basis === 'signal' || claim.about !== TURN) return false;
  if (claim.ingestedAtMs - runtime.startedAtMs >= YOUNG_MS) return false;
  switch (claim.says) {
    // To miss a dialog would be worse than to show an old one.
    case 'waiting_approval':
    case 'waiting_input':
    case 'began':
    case 'at_rest':
      return false;
    default:
      return true;
  }
}

/** Whether a claim is the first one of its screen: stamps of one source never repeat. */
export function isFirstScreen(
  first: FirstScreen | undefined,
  source: SourceName,
  claim: StampedClaim | null,
): boolean {
  return first !== undefined && first.source === source && first.claim.atMs === claim?.atMs;
}

/** Whether the first screen is of an earlier run, as far as is known. */
function isOfEarlierRun({ marks, startedAtMs, foundAtMs }: RuntimeRecord): boolean {
  const startMs = Math.min(startedAtMs, foundAtMs ?? startedAtMs);
  const { restSignalAtMs, turnSignalAtMs } = marks;
  const hasTurn = turnSignalAtMs !== undefined && turnSignalAtMs >= startMs;
  return !hasTurn && restSignalAtMs !== undefined && restSignalAtMs >= startMs;
}

/** The runtime as it is judged: with its first screen, or without it. */
export function withFirstScreen(runtime: RuntimeRecord): RuntimeRecord {
  const { firstScreen } = runtime;
  if (firstScreen === undefined) return runtime;
  const { source, claim } = firstScreen;
  if (isOfEarlierRun(runtime)) return { ...runtime, slots: withoutClaim(runtime, firstScreen) };
  return {
    ...runtime,
    denials: withDenials(runtime.denials, source, claim, null),
    marks: withMarks(runtime.marks, source, claim),
  };
}

function withoutClaim({ slots }: RuntimeRecord, first: FirstScreen): ReadonlyMap<string, Slot> {
  const left = new Map(slots);
  for (const [key, slot] of slots) {
    if (isFirstScreen(first, slot.source, slot.claim)) left.set(key, { ...slot, claim: null });
  }
  return left;
}

/** Notes what a deterministic source says of turns. An end is a sign of a turn, too. */
export function withSignals(marks: Marks, { tier, says, covers, atMs }: StampedClaim): Marks {
  if (tier !== 'deterministic') return marks;
  if (says !== 'at_rest' && says !== 'began') {
    return { ...marks, turnSignalAtMs: Math.max(marks.turnSignalAtMs ?? atMs, atMs) };
  }
  // A source that sees no work cannot know that there was none.
  if (!covers.includes('running')) return marks;
  return { ...marks, restSignalAtMs: Math.max(marks.restSignalAtMs ?? atMs, atMs) };
}
