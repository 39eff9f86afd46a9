// The output of one server's tapped panes, merged into the pending report. No I/O: the worker feeds
// it. The output of a window that is linked into two tapped sessions comes through both taps, and
// counts from one of them only.

import { oscRateLimit } from './osc-rate-limit.ts';
import { type OscScanner, oscScanner, type Signal } from './osc-scanner.ts';
import { outputBudget } from './output-budget.ts';
import { type RepaintMemory, repaintMemory, withoutMotion } from './repaint-memory.ts';
import { type PendingReport, pendingReport, type TapReport } from './tap-report.ts';

/** After this silence a pane is read through another tap: it may have moved. */
const LEAD_MS = 1_000;
/** Output that tmux has cut goes on in this time. */
const CUT_MS = 50;
/** The memory of a pane that was silent this long is dropped; it may have ended. */
const FORGET_AFTER_MS = 60_000;

interface TappedPane {
  /** The session whose tap it is read through. */
  sessionId: string;
  atMs: number;
  scanner: OscScanner;
  readonly memory: RepaintMemory;
  /** Its last title, without the spinner. */
  title: string | null;
  /** Whether the last report left open if its last piece is news. */
  isEndOpen: boolean;
  /** How long it was paused in total, and since when it is paused now. */
  pausedMs: number;
  pausedSinceMs: number;
}

/** A request to tmux for one pane, through the tap of that session. */
export interface FlowRequest {
  readonly sessionId: string;
  readonly paneId: string;
  readonly how: 'pause' | 'continue';
}

interface PaneOutput {
  readonly sessionId: string;
  readonly paneId: string;
  readonly bytes: string;
  readonly atMs: number;
}

export class TapWatch {
  readonly #server: string;
  readonly #panes = new Map<string, TappedPane>();
  readonly #oscRateLimit = oscRateLimit();
  readonly #outputBudget = outputBudget();
  /** The panes that we have paused, each with the session of its tap. */
  readonly #paused = new Map<string, string>();
  /** Panes that somebody views: their output is read whatever it costs. */
  #viewed: ReadonlySet<string> = new Set();
  #pending = pendingReport();
  #forgotAtMs = 0;

  /** Watches the panes of that server. */
  constructor(server: string) {
    this.#server = server;
  }

  get pending(): PendingReport {
    return this.#pending;
  }

  /** Returns the request to pause a pane that floods. */
  onOutput({ sessionId, paneId, bytes, atMs }: PaneOutput): readonly FlowRequest[] {
    // What was under way when it was paused, or a second tap of its window.
    if (this.#outputBudget.isPaused(paneId)) return [];
    const pane = this.#paneOf(paneId, sessionId, atMs);
    if (pane === null) return [];
    pane.atMs = atMs;
    this.#pending.changed.add(paneId);
    const isNews = pane.memory.isNews(bytes, atMs - pane.pausedMs);
    if (isNews) this.#pending.news.add(paneId);
    let isSign = isNews;
    for (const signal of pane.scanner.feed(bytes)) {
      if (this.#note(signal, paneId, pane)) isSign = true;
    }
    if (this.#viewed.has(paneId)) return [];
    const isFlood = this.#outputBudget.spend(paneId, bytes.length, isSign, atMs);
    return isFlood ? this.#pause(paneId, atMs) : [];
  }

  /** tmux has paused the pane: because we asked, or it dropped output because we were slow. */
  onPause(sessionId: string, paneId: string): readonly FlowRequest[] {
    if (this.#paused.get(paneId) === sessionId) return [];
    if (!this.#paused.has(paneId)) {
      // What was half read will not go on where it stopped.
      this.#panes.delete(paneId);
      this.#outputBudget.forget(paneId);
      this.#pending.gaps.add(paneId);
    }
    return [{ sessionId, paneId, how: 'continue' }];
  }

  /** From now on these panes are not paused; those that are go on. */
  setViewed(paneIds: ReadonlySet<string>, atMs: number): readonly FlowRequest[] {
    this.#viewed = paneIds;
    const requests = [...paneIds].flatMap((paneId) => this.#resume(paneId, atMs));
    for (const paneId of paneIds) this.#outputBudget.forget(paneId);
    return requests;
  }

  /** Applies the budget; to be called some ten times a second while something is printed. */
  turn(atMs: number): readonly FlowRequest[] {
    const { pause, resume, capture } = this.#outputBudget.turn(atMs);
    for (const paneId of capture) {
      this.#pending.gaps.add(paneId);
      // A pane that is not read may still print.
      this.#pending.changed.add(paneId);
    }
    const paused = pause.flatMap((paneId) => this.#pause(paneId, atMs));
    return [...paused, ...resume.flatMap((paneId) => this.#resume(paneId, atMs))];
  }

  /** Whether no pane is paused. */
  hasNoPausedPane(): boolean {
    return this.#outputBudget.isUnused();
  }

  onOpened(sessionId: string, pid: number): void {
    this.#pending.opened.push({ sessionId, pid });
  }

  /** The tap of that session was closed on purpose. */
  onLeft(sessionId: string): void {
    for (const [paneId, pane] of this.#panes) {
      if (pane.sessionId !== sessionId) continue;
      this.#panes.delete(paneId);
      this.#paused.delete(paneId);
      this.#outputBudget.forget(paneId);
    }
  }

  onClosed(sessionId: string): void {
    this.#pending.closed.add(sessionId);
    this.onLeft(sessionId);
  }

  /** It ended before it began; reported as closed as well. */
  onFailed(sessionId: string, stderr: string): void {
    this.#pending.closed.add(sessionId);
    this.#pending.failed.push({ sessionId, stderr });
  }

  /** The report so far; a new one begins. */
  take(atMs: number): TapReport {
    const open = endsLeftOpen(this.#pending, this.#panes, atMs);
    const { report, held } = this.#pending.divide(this.#server, this.#oscRateLimit, atMs);
    this.#pending = pendingReport(held);
    for (const paneId of open) this.#pending.changed.add(paneId);
    this.#forgetSilent(atMs);
    return report;
  }

  #paneOf(paneId: string, sessionId: string, atMs: number): TappedPane | null {
    const before = this.#panes.get(paneId);
    if (before?.sessionId === sessionId) return before;
    if (before && atMs - before.atMs < LEAD_MS) return null;
    if (before) this.#pending.gaps.add(paneId);
    const readers = { scanner: oscScanner(), memory: repaintMemory(), title: null };
    const fresh = { ...readers, isEndOpen: false, pausedMs: 0, pausedSinceMs: 0 };
    const pane = { sessionId, atMs, ...fresh };
    this.#panes.set(paneId, pane);
    return pane;
  }

  #forgetSilent(atMs: number): void {
    if (atMs - this.#forgotAtMs < FORGET_AFTER_MS) return;
    this.#forgotAtMs = atMs;
    for (const [paneId, pane] of this.#panes) {
      const isSilent = atMs - pane.atMs > FORGET_AFTER_MS;
      if (isSilent && !this.#paused.has(paneId)) this.#panes.delete(paneId);
    }
  }

  /** Returns whether it says something. */
  #note(signal: Signal, paneId: string, pane: TappedPane): boolean {
    if (signal.kind === 'osc') {
      const { number, text } = signal;
      this.#pending.addOsc({ paneId, number, text, atMs: pane.atMs });
      this.#outputBudget.exempt(paneId);
    } else if (signal.kind === 'title') {
      const title = withoutMotion(signal.text);
      if (title === pane.title) return false;
      this.#pending.titled.add(paneId);
      pane.title = title;
    } else (signal.kind === 'bell' ? this.#pending.bells : this.#pending.gaps).add(paneId);
    return true;
  }

  #pause(paneId: string, atMs: number): readonly FlowRequest[] {
    const pane = this.#panes.get(paneId);
    if (pane === undefined) {
      this.#outputBudget.forget(paneId);
      return [];
    }
    pane.pausedSinceMs = atMs;
    pane.memory.cut();
    this.#paused.set(paneId, pane.sessionId);
    return [{ sessionId: pane.sessionId, paneId, how: 'pause' }];
  }

  #resume(paneId: string, atMs: number): readonly FlowRequest[] {
    const sessionId = this.#paused.get(paneId);
    const pane = this.#panes.get(paneId);
    this.#paused.delete(paneId);
    if (pane !== undefined) {
      pane.pausedMs += atMs - pane.pausedSinceMs;
      // What comes now does not go on where it stopped.
      pane.scanner = oscScanner();
    }
    return sessionId === undefined ? [] : [{ sessionId, paneId, how: 'continue' }];
  }
}

/** Adds to the news what ends in news; gives the panes whose end may be cut, for one report. */
function endsLeftOpen(
  { changed, news }: PendingReport,
  panes: ReadonlyMap<string, TappedPane>,
  atMs: number,
): readonly string[] {
  const open: string[] = [];
  for (const paneId of changed) {
    const pane = panes.get(paneId);
    if (!pane) continue;
    const isNews = pane.memory.isEndNews(atMs - pane.pausedMs);
    pane.isEndOpen = isNews && !pane.isEndOpen && atMs - pane.atMs < CUT_MS;
    if (pane.isEndOpen) open.push(paneId);
    else if (isNews) news.add(paneId);
  }
  return open;
}
