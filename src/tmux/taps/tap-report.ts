// What taps have read and not reported yet, merged so that it cannot grow: sets of pane ids, and a
// bounded list of OSC. No I/O; the worker decides when it is sent.

import { OSC_PANE_MAX, type OscRateLimit } from './osc-rate-limit.ts';
import type { TappedOsc } from './osc-scanner.ts';

/** Far more than agents send between two reports; beyond it the pane is captured instead. */
const OSC_COUNT_MAX = 512;

/** What the taps of one server saw since the last report. */
export interface TapReport {
  /** The name that `set` gave it. */
  readonly server: string;
  readonly changed: readonly string[];
  /** The panes among them that printed more than a repaint. */
  readonly news: readonly string[];
  /** Panes whose title (OSC 0 or 2) is another one now, spinners aside. */
  readonly titled: readonly string[];
  readonly bells: readonly string[];
  /** Panes of which output was missed: to be captured. */
  readonly gaps: readonly string[];
  readonly osc: readonly TappedOsc[];
  /** Sessions whose tap has ended; each is opened again only by the next `set`. */
  readonly closed: readonly string[];
  /** Those among them that never began, with their stderr. */
  readonly failed: readonly FailedTap[];
  /** Taps that have begun, and their processes on their own host. */
  readonly opened: readonly OpenedTap[];
}

export interface OpenedTap {
  readonly sessionId: string;
  readonly pid: number;
}

export interface FailedTap {
  readonly sessionId: string;
  readonly stderr: string;
}

export interface PendingReport {
  readonly changed: Set<string>;
  readonly news: Set<string>;
  readonly titled: Set<string>;
  readonly bells: Set<string>;
  readonly gaps: Set<string>;
  readonly closed: Set<string>;
  readonly failed: FailedTap[];
  readonly opened: OpenedTap[];
  addOsc(osc: TappedOsc): void;
  isEmpty(): boolean;
  /** Whether it holds more than that something was printed. */
  isUrgent(): boolean;
  /** What may be reported by `atMs`, and what must wait for the next report. */
  divide(
    server: string,
    limit: OscRateLimit,
    atMs: number,
  ): { readonly report: TapReport; readonly held: readonly TappedOsc[] };
}

/** A report with nothing in it yet but what the one before had to hold back. */
export function pendingReport(held: readonly TappedOsc[] = []): PendingReport {
  const osc: TappedOsc[] = [...held];
  const counts = new Map<string, number>();
  const changed = new Set<string>();
  const news = new Set<string>();
  const titled = new Set<string>();
  const bells = new Set<string>();
  const gaps = new Set<string>();
  const closed = new Set<string>();
  const failed: FailedTap[] = [];
  const opened: OpenedTap[] = [];
  const isUrgent = (): boolean =>
    counts.size + titled.size + bells.size + gaps.size + closed.size + opened.length > 0;
  const leaveOut = (index: number): void => {
    for (const { paneId } of osc.splice(index, 1)) {
      gaps.add(paneId);
      counts.set(paneId, (counts.get(paneId) ?? 1) - 1);
    }
  };
  return {
    ...{ changed, news, titled, bells, gaps, closed, failed, opened, isUrgent },
    addOsc(added) {
      const { paneId } = added;
      osc.push(added);
      counts.set(paneId, (counts.get(paneId) ?? 0) + 1);
      // The newest are kept: the last state of a pane is what counts.
      if ((counts.get(paneId) ?? 0) > OSC_PANE_MAX) {
        leaveOut(osc.findIndex((each) => each.paneId === paneId));
      } else if (osc.length > OSC_COUNT_MAX) leaveOut(0);
    },
    isEmpty: () => changed.size + osc.length === 0 && !isUrgent(),
    divide(server, limit, atMs) {
      const { allowed, held: heldNow, cut } = limit.divide(osc, atMs);
      for (const paneId of cut) gaps.add(paneId);
      const report = {
        server,
        changed: [...changed],
        news: [...news],
        titled: [...titled],
        bells: [...bells],
        gaps: [...gaps],
        osc: allowed,
        closed: [...closed],
        failed,
        opened,
      };
      return { report, held: heldNow };
    },
  };
}
