// The watch of one tmux server, as one story. Something may be new: a notification, a wake-up, a
// report of the taps, an event. The timer runs what is due: a scan of processes, a listing, some
// captures of screens. Each part returns what it read, and it is handed in here. No process is
// started for any of it.

import type { Observation } from '../../core/ingest.ts';
import { Fault } from '../../platform/fault.ts';
import type { Outcome } from '../../schema/outcome.ts';
import type { TapReport } from '../../tmux/taps/tap-report.ts';
import type { Batches, KnownPane } from '../known-pane.ts';
import { tagPane } from '../processes/tagging.ts';
import { ListingReader } from './listing-reader.ts';
import type { PaneHint } from './pane-hints.ts';
import { type CaptureResult, noResult, type PaneCapture } from './screen-captures.ts';
import { type WatchCounts, type WatchOptions, type WatchParts, watchParts } from './watch-parts.ts';

export class ServerWatch {
  readonly #options: WatchOptions;
  readonly #parts: WatchParts;
  readonly #reader: ListingReader;
  readonly #counts = { listings: 0, captures: 0, unreadRows: 0, osc: 0 };
  #timer: NodeJS.Timeout | null = null;
  #isListing = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#parts = watchParts(options);
    this.#reader = new ListingReader(options, this.#parts);
  }

  get counts(): WatchCounts {
    return { ...this.#counts };
  }

  /** The panes that people have on screen; none while the server does not answer. */
  get shownPanes(): readonly KnownPane[] {
    const { seen, paneOf } = this.#parts;
    const { state } = this.#options.link.status;
    if (state !== 'connected' && state !== 'degraded') return [];
    return seen.active.flatMap((paneId) => paneOf(paneId) ?? []);
  }

  // Something may be new.

  /** Asks for a whole listing soon: a notification, a wake-up, a new connection. */
  ask(): void {
    const { listings, pace } = this.#parts;
    listings.ask();
    pace.ask(this.#nowMs);
    this.#schedule();
  }

  /** The server has ended: its panes are gone. */
  serverGone(): void {
    const { panes, listings, presence, osc, hints } = this.#parts;
    const nowMs = this.#nowMs;
    panes.clear();
    listings.ask();
    presence.keep(new Set());
    osc.clear();
    hints.clear();
    this.#reader.noteAttached([]);
    this.#submitAll(this.#reader.follow([], nowMs));
    const listing = { ...this.#options.address, generation: null, panes: [], atMs: nowMs };
    this.#submit([{ kind: 'listing', listing }]);
  }

  /** The taps were closed from outside, because their link is gone. */
  tapsClosed(): void {
    this.#parts.taps.closed();
  }

  /** A report of the taps of this server; `steadyNowMs` is now by the clock of their worker. */
  tapped(report: TapReport, steadyNowMs: number): void {
    const { schedule, taps, osc, panes } = this.#parts;
    const nowMs = this.#nowMs;
    const { changed, news, titled, bells, gaps } = report;
    for (const paneId of [...news, ...titled, ...bells, ...gaps]) schedule.changed(paneId, nowMs);
    for (const paneId of changed) schedule.repainted(paneId, nowMs);
    taps.ended(report.closed, nowMs);
    this.#submit(panes.workIn(changed, news, nowMs));
    this.#counts.osc += report.osc.length;
    const atMsOf = (steadyMs: number): number => nowMs - Math.max(0, steadyNowMs - steadyMs);
    osc.add(report.osc.map((each) => ({ osc: each, atMs: atMsOf(each.atMs) })));
    this.#submitAll(osc.read());
    // The title of a pane is shown as listings have it.
    if (titled.length > 0) this.ask();
    else this.#schedule();
  }

  /** An event named a pane: its processes and its screen are read. */
  hint(hint: PaneHint): void {
    const { presence, schedule, hints, listings, pace, paneOf } = this.#parts;
    const { paneId } = hint;
    const nowMs = this.#nowMs;
    if (!this.#reader.isFar) {
      presence.ask(paneId);
      this.#submitAll(hints.resolve([hint], presence, { nowMs, paneOf }));
    } else if (paneOf(paneId)) {
      hints.note(hint);
      listings.ask();
      pace.ask(nowMs);
    }
    schedule.ask(paneId, nowMs);
    this.#schedule();
  }

  /** Names the agent of a pane whose processes are hidden. Rejects with a Fault. */
  async tag(paneId: string, agent: string | undefined): Promise<Outcome<null>> {
    const { presence, panes, paneOf } = this.#parts;
    await this.#options.processes.refresh?.(panes.pids);
    const tag = { paneId, agent, paneOf, nowMs: this.#nowMs };
    const tagged = this.#submitAll(tagPane(presence, tag));
    if (tagged.ok) this.ask();
    return tagged;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.tap([]);
  }

  // What is due.

  #schedule(): void {
    const { state } = this.#options.link.status;
    if (this.#isClosed || (state !== 'connected' && state !== 'degraded')) return;
    const { pace, captures, taps } = this.#parts;
    const listingMs = this.#isListing ? Number.POSITIVE_INFINITY : pace.dueMs;
    const nextMs = Math.min(listingMs, captures.nextMs, this.#scanMs, taps.nextMs);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, nextMs - this.#nowMs));
  }

  #run(): void {
    this.#timer = null;
    const { presence, captures, taps, pace } = this.#parts;
    const nowMs = this.#nowMs;
    if (taps.takeDue(nowMs)) this.ask();
    if (this.#scanMs <= nowMs) this.#submit(presence.scan(nowMs));
    if (!this.#isListing && pace.dueMs <= nowMs) void this.#list();
    for (const line of captures.take(nowMs)) void this.#capture(line);
    this.#schedule();
  }

  /** Captures some screens and reads each as it comes. */
  async #capture(line: readonly string[]): Promise<void> {
    const { captures } = this.#parts;
    try {
      for await (const captured of captures.capture(line)) {
        if (this.#isClosed) return;
        for (const capture of captured) captures.done(capture, this.#readScreen(capture));
      }
    } catch (error) {
      this.#fault(error);
    } finally {
      this.#schedule();
    }
  }

  #readScreen({ paneId, screen }: PaneCapture): CaptureResult {
    const { readings, presence, paneOf } = this.#parts;
    if (screen === null) return noResult;
    // Another process is in the pane: a listing must show it before its screen counts.
    if (paneOf(paneId)?.facts.birth.pid !== screen.panePid) {
      this.ask();
      return { isNew: true, needsSecondCapture: false };
    }
    this.#counts.captures += 1;
    const reading = readings.readScreen(paneId, screen);
    this.#submit(reading.all.map((evidence) => ({ kind: 'evidence', evidence })));
    if (reading.asksScan) presence.ask(paneId);
    return reading;
  }

  async #list(): Promise<void> {
    const { link, config } = this.#options;
    const { pace, hints, presence, listings, readings } = this.#parts;
    this.#isListing = true;
    pace.begin();
    const startedMs = this.#nowMs;
    const hinted = hints.all;
    for (const { paneId } of hinted) presence.ask(paneId);
    // Without a control client no notification comes.
    if (this.#reader.mode === 'degraded') listings.ask();
    try {
      const listed = await listings.read(startedMs);
      if (this.#isClosed || listed === null) return;
      this.#counts.listings += 1;
      this.#counts.unreadRows += listed.unreadCount;
      if (listed.isWhole) this.#reader.noteRows();
      const hasQueried = await readings.checkOptions(link, config().tmux.commandTimeoutMs);
      await this.#reader.refreshProcesses();
      if (this.#isClosed) return;
      this.#submitAll(this.#reader.read(listed, hinted, hasQueried));
    } catch (error) {
      this.#fault(error);
    } finally {
      this.#isListing = false;
      const nowMs = this.#nowMs;
      pace.end(nowMs, nowMs - startedMs, this.#reader.mode);
      this.#schedule();
    }
  }

  get #nowMs(): number {
    return this.#options.daemon.nowMs();
  }

  get #scanMs(): number {
    return this.#reader.isFar ? Number.POSITIVE_INFINITY : this.#parts.presence.nextMs;
  }

  // What was read is handed in.

  #submitAll<Result>(batches: Batches<Result>): Result {
    let next = batches.next();
    while (!next.done) next = batches.next(this.#submit(next.value));
    return next.value;
  }

  /** False where they could not be stored. */
  #submit(observations: readonly Observation[]): boolean {
    if (observations.length === 0 || this.#isClosed) return true;
    try {
      this.#options.daemon.submit(observations);
      return true;
    } catch (error) {
      this.#fault(error);
      return false;
    }
  }

  /** A Fault is reported, and what was read is read again soon. A bug of ours is thrown. */
  #fault(error: unknown): void {
    if (!(error instanceof Fault)) throw error;
    this.#options.onFault(error);
  }
}
