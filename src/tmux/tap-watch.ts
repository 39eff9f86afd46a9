// What the output of one server's tapped panes tells, merged into the pending report. No I/O: the
// worker feeds it. A window that is linked into two tapped sessions is heard through both taps, and
// counted from one of them only.

import { oscRation } from './osc-ration.ts';
import { type OscScanner, oscScanner, type Signal } from './osc-scanner.ts';
import { type RepaintMemory, repaintMemory, withoutMotion } from './repaint-memory.ts';
import { type PendingReport, pendingReport, type TapReport } from './tap-report.ts';

/** A pane whose tap is silent for so long may be heard through another: it may have moved. */
const LEAD_MS = 1_000;
/** Output that tmux has cut goes on in this time. */
const CUT_MS = 50;
/** What is known of a pane that was silent for so long is forgotten; it may have ended. */
const FORGET_AFTER_MS = 60_000;

interface HeardPane {
  /** The session whose tap it is heard through. */
  sessionId: string;
  atMs: number;
  readonly scanner: OscScanner;
  readonly memory: RepaintMemory;
  /** Its last title, without what spins in it. */
  title: string | null;
  /** Whether the last report left open if its last piece is news. */
  isEndOpen: boolean;
}

export interface TapWatch {
  onOutput(heard: { sessionId: string; paneId: string; bytes: string; atMs: number }): void;
  /** tmux dropped output of the pane because we were slow. */
  onGap(paneId: string): void;
  onOpened(sessionId: string, pid: number): void;
  onClosed(sessionId: string): void;
  /** It ended before it began; told as closed as well. */
  onFailed(sessionId: string, stderr: string): void;
  readonly pending: PendingReport;
  /** The report so far; a new one begins. */
  take(atMs: number): TapReport;
}

/** Watches the panes of that server. */
export function tapWatch(server: string): TapWatch {
  const panes = new Map<string, HeardPane>();
  const ration = oscRation();
  let pending = pendingReport();
  let sweptAtMs = 0;

  const paneHeard = (paneId: string, sessionId: string, atMs: number): HeardPane | null => {
    const known = panes.get(paneId);
    if (known?.sessionId === sessionId) return known;
    if (known && atMs - known.atMs < LEAD_MS) return null;
    if (known) pending.gaps.add(paneId);
    const fresh = { scanner: oscScanner(), memory: repaintMemory(), title: null, isEndOpen: false };
    const pane = { sessionId, atMs, ...fresh };
    panes.set(paneId, pane);
    return pane;
  };

  const forgetSilent = (atMs: number): void => {
    if (atMs - sweptAtMs < FORGET_AFTER_MS) return;
    sweptAtMs = atMs;
    for (const [paneId, pane] of panes) {
      if (atMs - pane.atMs > FORGET_AFTER_MS) panes.delete(paneId);
    }
  };

  const note = (signal: Signal, paneId: string, pane: HeardPane): void => {
    if (signal.kind === 'osc') {
      const { number, text } = signal;
      pending.addOsc({ paneId, number, text, atMs: pane.atMs });
    } else if (signal.kind === 'title') {
      const title = withoutMotion(signal.text);
      if (title !== pane.title) pending.titled.add(paneId);
      pane.title = title;
    } else (signal.kind === 'bell' ? pending.bells : pending.gaps).add(paneId);
  };

  return {
    get pending() {
      return pending;
    },
    onOutput({ sessionId, paneId, bytes, atMs }) {
      const pane = paneHeard(paneId, sessionId, atMs);
      if (pane === null) return;
      pane.atMs = atMs;
      pending.changed.add(paneId);
      if (pane.memory.isNews(bytes, atMs)) pending.news.add(paneId);
      for (const signal of pane.scanner.feed(bytes)) note(signal, paneId, pane);
    },
    onGap(paneId) {
      // What was half read will not go on where it stopped.
      panes.delete(paneId);
      pending.gaps.add(paneId);
    },
    onOpened(sessionId, pid) {
      pending.opened.push({ sessionId, pid });
    },
    onClosed(sessionId) {
      pending.closed.add(sessionId);
      for (const [paneId, pane] of panes) if (pane.sessionId === sessionId) panes.delete(paneId);
    },
    onFailed(sessionId, stderr) {
      pending.closed.add(sessionId);
      pending.failed.push({ sessionId, stderr });
    },
    take(atMs) {
      const open = endsLeftOpen(pending, panes, atMs);
      const { report, held } = pending.divide(server, ration, atMs);
      pending = pendingReport(held);
      for (const paneId of open) pending.changed.add(paneId);
      forgetSilent(atMs);
      return report;
    },
  };
}

/** Adds to the news what ends in news; gives the panes whose end may be cut, for one report. */
function endsLeftOpen(
  { changed, news }: PendingReport,
  panes: ReadonlyMap<string, HeardPane>,
  atMs: number,
): readonly string[] {
  const open: string[] = [];
  for (const paneId of changed) {
    const pane = panes.get(paneId);
    if (!pane) continue;
    const isNews = pane.memory.isEndNews(atMs);
    pane.isEndOpen = isNews && !pane.isEndOpen && atMs - pane.atMs < CUT_MS;
    if (pane.isEndOpen) open.push(paneId);
    else if (isNews) news.add(paneId);
  }
  return open;
}
