// Whether a member that was just started is there: by the state of its agent, or, where its program
// is no agent that is known, by its staying alive. Pure.

import type { PaneRecord } from '../../core/world.ts';

/** A program that cannot start has ended by then. */
const STAYS_MS = 3_000;
/** An agent whose state is not known by then is there all the same. */
const STATE_MS = 15_000;
/** A server is listed by then, also one of another machine. */
const SEEN_MS = 20_000;

export type Readiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly cause: string; readonly hasOutput: boolean };

const ready: Readiness = { kind: 'ready' };
const pending: Readiness = { kind: 'pending' };

/** `sinceMs`: how long ago it was started. */
export function memberReadiness(pane: PaneRecord | null, sinceMs: number): Readiness {
  if (pane?.facts == null) {
    if (sinceMs < SEEN_MS) return pending;
    return { kind: 'failed', cause: 'its pane was not seen in tmux', hasOutput: false };
  }
  const { row, facts, goneAtMs } = pane;
  if (goneAtMs !== null)
    return { kind: 'failed', cause: 'its session has ended', hasOutput: false };
  if (facts.dead) return { kind: 'failed', cause: 'its command has ended', hasOutput: true };
  if (row.presence !== 'managed') return sinceMs < STAYS_MS ? pending : ready;
  if (row.state === 'error') {
    const cause = `its agent is in error${row.reasonCode === null ? '' : `: ${row.reasonCode}`}`;
    return { kind: 'failed', cause, hasOutput: true };
  }
  return row.state === 'unknown' && sinceMs < STATE_MS ? pending : ready;
}
