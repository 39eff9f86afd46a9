// Marks: the latest moments that decide how a turn ended. Nothing but maxima, so that the order of
// arrival cannot matter.

import type { SourceName } from '../../schema/ids.ts';
import { isActive, phaseOf } from '../phase.ts';
import type { Marks, StampedClaim } from '../world.ts';

/** A dialog that the person opened, or that comes before the first prompt, is no turn. */
function withActivity(marks: Marks, { atMs, kind, reason }: StampedClaim): Marks {
  if (reason === 'dialog_open' || reason === 'startup_dialog') return marks;
  return kind === 'edge'
    ? { ...marks, activeEdgeAtMs: Math.max(marks.activeEdgeAtMs ?? atMs, atMs) }
    : { ...marks, activeLevelAtMs: Math.max(marks.activeLevelAtMs ?? atMs, atMs) };
}

/** The moments after a claim that is believed. */
export function withMarks(marks: Marks, source: SourceName, claim: StampedClaim): Marks {
  const { atMs, kind } = claim;
  const phase = phaseOf(claim.says);
  if (isActive(phase)) return withActivity(marks, claim);
  const mark = {
    atMs,
    kind,
    source,
    ingestedAtMs: claim.ingestedAtMs,
    backfill: claim.backfill,
    reason: claim.reason ?? null,
    untilMs: claim.untilMs ?? null,
    rule: claim.rule ?? null,
    tier: claim.tier,
  };
  const later = (before: Marks['rest']) =>
    before && (before.atMs > atMs || (before.atMs === atMs && before.source <= source))
      ? before
      : mark;
  if (phase === 'error') return { ...marks, failed: later(marks.failed) };
  const rested = { ...marks, rest: later(marks.rest) };
  if (claim.says === 'began') {
    return { ...rested, beganAtMs: Math.max(marks.beganAtMs ?? atMs, atMs) };
  }
  if (claim.says === 'interrupted') return { ...rested, interrupted: later(marks.interrupted) };
  if (claim.says === 'completed') return { ...rested, completed: later(marks.completed) };
  return rested;
}
