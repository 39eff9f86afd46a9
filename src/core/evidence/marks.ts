// Marks: the latest moments that decide how a turn ended. Nothing but maxima, so that the order of
// arrival cannot matter.

import type { SourceName } from '../../schema/ids.ts';
import { isActive, phaseOf } from '../phase.ts';
import type { Marks, StampedClaim } from '../world.ts';

/** Dialogs outside a turn: opened by the person, before the first prompt, or for a login. */
const reasonsOutsideTurn: readonly (string | undefined)[] = [
  'dialog_open',
  'startup_dialog',
  'auth_required',
];

function withActivity(marks: Marks, { atMs, kind, reason }: StampedClaim): Marks {
  if (reasonsOutsideTurn.includes(reason)) return marks;
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
