// The states that a pane went through, as a bar of the last hours and as a list. Pure.

import type { HistoryEntry } from '../../schema/api/ledger.ts';
import { type Mood, moodOfState } from './pane-words.ts';

export interface TimelinePart {
  readonly mood: Mood;
  readonly state: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the bar, from 0 to 1. */
  readonly share: number;
}

/** Entries are the newest first; the newest lasts until now. */
export function timelineParts(
  entries: readonly HistoryEntry[],
  { fromMs, nowMs }: { readonly fromMs: number; readonly nowMs: number },
): readonly TimelinePart[] {
  const whole = Math.max(1, nowMs - fromMs);
  const parts: TimelinePart[] = [];
  let toMs = nowMs;
  for (const { at, state, agent } of entries) {
    if (toMs <= fromMs) break;
    const beganMs = Math.max(fromMs, Date.parse(at));
    if (Number.isNaN(beganMs) || beganMs > toMs) continue;
    const mood = agent === null ? 'none' : moodOfState(state);
    parts.unshift({ mood, state, fromMs: beganMs, toMs, share: (toMs - beganMs) / whole });
    toMs = beganMs;
  }
  return parts;
}
