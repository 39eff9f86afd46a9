// The rate limit on the OSC of one pane: a burst, then so many per second. A pane may print them
// without end, and each is a write to the store. Beyond the limit only the newest are reported, and
// the pane's screen is captured. Pure: times come in as arguments.

import type { TappedOsc } from './osc-scanner.ts';

/** An agent sends a few at a change of its state. */
export const OSC_PANE_MAX = 16;
/** Above any agent's rate; a store flooded at this rate for a day stays small. */
const OSC_SECOND_MAX = 4;
/** By then a pane has its full allowance again, and need not be remembered. */
const FULL_AFTER_MS = (OSC_PANE_MAX / OSC_SECOND_MAX) * 1_000;

interface Allowance {
  left: number;
  atMs: number;
}

export interface LimitedOsc {
  readonly allowed: readonly TappedOsc[];
  /** The newest of each pane that may send none now: they are reported a little later. */
  readonly held: readonly TappedOsc[];
  /** Panes of which some were left out. */
  readonly cut: readonly string[];
}

export interface OscRateLimit {
  /** Divides what came until `atMs`, oldest first. */
  divide(osc: readonly TappedOsc[], atMs: number): LimitedOsc;
}

/** A rate limit of which nothing is used yet. */
export function oscRateLimit(): OscRateLimit {
  const allowances = new Map<string, Allowance>();

  const forgetFull = (atMs: number): void => {
    for (const [paneId, { atMs: sinceMs }] of allowances) {
      if (atMs - sinceMs >= FULL_AFTER_MS) allowances.delete(paneId);
    }
  };

  /** Takes as many OSC from the budget of a pane as it may send now. */
  const take = (paneId: string, wanted: number, atMs: number): number => {
    const { left, atMs: sinceMs } = allowances.get(paneId) ?? { left: OSC_PANE_MAX, atMs };
    const grown = (Math.max(0, atMs - sinceMs) / 1_000) * OSC_SECOND_MAX;
    const available = Math.min(OSC_PANE_MAX, left + grown);
    const count = Math.min(wanted, Math.floor(available));
    allowances.set(paneId, { left: available - count, atMs });
    return count;
  };

  return {
    divide(osc, atMs) {
      forgetFull(atMs);
      const allowed = new Set<TappedOsc>();
      const held = new Set<TappedOsc>();
      const cut: string[] = [];
      for (const [paneId, sent] of Map.groupBy(osc, (each) => each.paneId)) {
        const count = take(paneId, sent.length, atMs);
        const kept = sent.slice(-Math.max(count, 1));
        for (const each of kept) (count === 0 ? held : allowed).add(each);
        if (kept.length < sent.length) cut.push(paneId);
      }
      const among = (chosen: ReadonlySet<TappedOsc>) => osc.filter((each) => chosen.has(each));
      return { allowed: among(allowed), held: among(held), cut };
    },
  };
}
