// The counts that a status bar shows, each agent once: under what it needs a person for, else under
// running or completed. Without the last two their sum is the number that "need you". Pure.

import type { NeedCounts } from './need.ts';

export interface ShownCounts extends Readonly<Record<string, number>> {
  readonly error: number;
  readonly waiting_approval: number;
  readonly waiting_input: number;
  readonly stuck: number;
  readonly running: number;
  readonly completed: number;
}

export function shownCounts(
  byState: { readonly running: number; readonly completed: number },
  needs: NeedCounts,
): ShownCounts {
  return {
    error: needs.error + needs.crash,
    waiting_approval: needs.approval,
    waiting_input: needs.question,
    stuck: needs.stuck,
    // A stuck agent is in the state running.
    running: Math.max(0, byState.running - needs.stuck),
    completed: byState.completed,
  };
}
