// What the output of one server's tapped panes tells, merged into the pending report. No I/O: the
// worker feeds it. A window that is linked into two tapped sessions is heard through both taps, and
// counted from one of them only.

import { oscRation } from './osc-rate-limit.ts';
import { type OscScanner, oscScanner, type Signal } from './osc-scanner.ts';
import { outputRation } from './output-budget.ts';
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
  scanner: OscScanner;
  readonly memory: RepaintMemory;
  /** Its last title, without what spins in it. */
  title: string | null;
  /** Whether the last report left open if its last piece is news. */
  isEndOpen: boolean;
  /** How long it was paused so far, and since when where it is now: its memory stood still. */
  deafMs: number;
  deafSinceMs: number;
}

/** What is to be asked of tmux for one pane, through the tap of that session. */
export interface TapAsk {
  readonly sessionId: string;
  readonly paneId: string;
  readonly how: 'pause' | 'continue';
}

interface Heard {
  readonly sessionId: string;
  readonly paneId: string;
  readonly bytes: string;
  readonly atMs: number;
}

export class TapWatch {
  readonly #server: string;
  readonly #panes = new Map<string, HeardPane>();
  readonly #oscRation = oscRation();
  readonly #outputRation = outputRation();
  /** The panes that we have paused, each with the session of the tap that was asked for it. */
  readonly #paused = new Map<string, string>();
  #pending = pendingReport();
  #sweptAtMs = 0;

  /** Watches the panes of that server. */
  constructor(server: string) {
    this.#server = server;
  }

  get pending(): PendingReport {
    return this.#pending;
  }

  onOutput({ sessionId, paneId, bytes, atMs }: Heard): void {
    // What was under way when it was paused, or a second tap of its window.
    if (this.#outputRation.isPaused(paneId)) return;
    const pane = this.#paneHeard(paneId, sessionId, atMs);
    if (pane === null) return;
    pane.atMs = atMs;
    this.#pending.changed.add(paneId);
    const isNews = pane.memory.isNews(bytes, atMs - pane.deafMs);
    if (isNews) this.#pending.news.add(paneId);
    let isSign = isNews;
    for (const signal of pane.scanner.feed(bytes)) {
      if (this.#note(signal, paneId, pane)) isSign = true;
    }
    this.#outputRation.heard(paneId, bytes.length, isSign, atMs);
  }

  /** tmux has paused the pane: because we asked, or it dropped output because we were slow. */
  onPause(sessionId: string, paneId: string): readonly TapAsk[] {
    if (this.#paused.get(paneId) === sessionId) return [];
    if (!this.#paused.has(paneId)) {
      // What was half read will not go on where it stopped.
      this.#panes.delete(paneId);
      this.#outputRation.forget(paneId);
      this.#pending.gaps.add(paneId);
    }
    return [{ sessionId, paneId, how: 'continue' }];
  }

  /** Keeps to the ration; to be called some ten times a second while something is printed. */
  turn(atMs: number): readonly TapAsk[] {
    const { pause, resume, look } = this.#outputRation.turn(atMs);
    for (const paneId of look) {
      this.#pending.gaps.add(paneId);
      // That it is not heard does not mean that nothing moves there.
      this.#pending.changed.add(paneId);
    }
    const paused = pause.flatMap((paneId) => this.#pause(paneId, atMs));
    return [...paused, ...resume.flatMap((paneId) => this.#resume(paneId, atMs))];
  }

  /** Whether no pane is paused. */
  hearsAll(): boolean {
    return this.#outputRation.hearsAll();
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
      this.#outputRation.forget(paneId);
    }
  }

  onClosed(sessionId: string): void {
    this.#pending.closed.add(sessionId);
    this.onLeft(sessionId);
  }

  /** It ended before it began; told as closed as well. */
  onFailed(sessionId: string, stderr: string): void {
    this.#pending.closed.add(sessionId);
    this.#pending.failed.push({ sessionId, stderr });
  }

  /** The report so far; a new one begins. */
  take(atMs: number): TapReport {
    const open = endsLeftOpen(this.#pending, this.#panes, atMs);
    const { report, held } = this.#pending.divide(this.#server, this.#oscRation, atMs);
    this.#pending = pendingReport(held);
    for (const paneId of open) this.#pending.changed.add(paneId);
    this.#forgetSilent(atMs);
    return report;
  }

  #paneHeard(paneId: string, sessionId: string, atMs: number): HeardPane | null {
    const known = this.#panes.get(paneId);
    if (known?.sessionId === sessionId) return known;
    if (known && atMs - known.atMs < LEAD_MS) return null;
    if (known) this.#pending.gaps.add(paneId);
    const readers = { scanner: oscScanner(), memory: repaintMemory(), title: null };
    const fresh = { ...readers, isEndOpen: false, deafMs: 0, deafSinceMs: 0 };
    const pane = { sessionId, atMs, ...fresh };
    this.#panes.set(paneId, pane);
    return pane;
  }

  #forgetSilent(atMs: number): void {
    if (atMs - this.#sweptAtMs < FORGET_AFTER_MS) return;
    this.#sweptAtMs = atMs;
    for (const [paneId, pane] of this.#panes) {
      const isSilent = atMs - pane.atMs > FORGET_AFTER_MS;
      if (isSilent && !this.#paused.has(paneId)) this.#panes.delete(paneId);
    }
  }

  /** Returns whether it says something. */
  #note(signal: Signal, paneId: string, pane: HeardPane): boolean {
    if (signal.kind === 'osc') {
      const { number, text } = signal;
      this.#pending.addOsc({ paneId, number, text, atMs: pane.atMs });
      this.#outputRation.spoke(paneId);
    } else if (signal.kind === 'title') {
      const title = withoutMotion(signal.text);
      if (title === pane.title) return false;
      this.#pending.titled.add(paneId);
      pane.title = title;
    } else (signal.kind === 'bell' ? this.#pending.bells : this.#pending.gaps).add(paneId);
    return true;
  }

  #pause(paneId: string, atMs: number): readonly TapAsk[] {
    const pane = this.#panes.get(paneId);
    if (pane === undefined) {
      this.#outputRation.forget(paneId);
      return [];
    }
    pane.deafSinceMs = atMs;
    pane.memory.cut();
    this.#paused.set(paneId, pane.sessionId);
    return [{ sessionId: pane.sessionId, paneId, how: 'pause' }];
  }

  #resume(paneId: string, atMs: number): readonly TapAsk[] {
    const sessionId = this.#paused.get(paneId);
    const pane = this.#panes.get(paneId);
    this.#paused.delete(paneId);
    if (pane !== undefined) {
      pane.deafMs += atMs - pane.deafSinceMs;
      // What comes now does not go on where it stopped.
      pane.scanner = oscScanner();
    }
    return sessionId === undefined ? [] : [{ sessionId, paneId, how: 'continue' }];
  }
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
    const isNews = pane.memory.isEndNews(atMs - pane.deafMs);
    pane.isEndOpen = isNews && !pane.isEndOpen && atMs - pane.atMs < CUT_MS;
    if (pane.isEndOpen) open.push(paneId);
    else if (isNews) news.add(paneId);
  }
  return open;
}
