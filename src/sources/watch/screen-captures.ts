// The captures of one server's screens: which panes are captured now, and their screens as tmux
// gives them, many in one command line. What a screen means is panes/screen-source.ts, when a pane
// is due capture-schedule.ts.

import type { Config } from '../../schema/config.ts';
import { type CapturedScreen, captureCommands, readCapture } from '../../tmux/capture.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import type { ScreenJudgement } from '../panes/screen-source.ts';
import { CaptureSchedule } from './capture-schedule.ts';

/** What one capture costs tmux, beside what it costs us. */
const CAPTURE_COST_MS = 0.15;
const CAPTURE_REPLIES = captureCommands('%0').length;
/** Panes that are due at once and captured by one command line. */
const LINE_PANES = 16;
/** Batch window: each wake-up of tmux costs more with each pane, so 1 ms per followed pane. */
const BATCH_MS = 1;
const BATCH_MS_MAX = 200;

export interface ScreenCapturesOptions {
  readonly link: Pick<TmuxLink, 'run' | 'status'>;
  readonly config: () => Config;
  readonly nowMs: () => number;
}

export interface PaneCapture {
  readonly paneId: string;
  /** Null where the pane is gone, or no longer followed. */
  readonly screen: CapturedScreen | null;
  /** When its reading began. */
  readonly atMs: number;
}

/** What the next capture of a pane depends on. */
export type CaptureResult = Pick<ScreenJudgement, 'isNew' | 'needsSecondCapture'> &
  Partial<Pick<ScreenJudgement, 'asksStyle'>>;

/** Nothing was read. */
export const noResult: CaptureResult = { isNew: false, needsSecondCapture: false };

export class ScreenCaptures {
  readonly #options: ScreenCapturesOptions;
  readonly schedule: CaptureSchedule;
  /** Panes whose rules ask for styles, until they do so no more. */
  readonly #styled = new Set<string>();
  #openCount = 0;
  /** Until then due captures are collected into one batch. */
  #batchEndMs = Number.NEGATIVE_INFINITY;
  #processAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ScreenCapturesOptions) {
    this.#options = options;
    this.schedule = new CaptureSchedule(() => options.config().screen);
  }

  /** Sets the panes to capture. Returns those that are no longer captured. */
  follow(paneIds: ReadonlySet<string>, nowMs: number): readonly string[] {
    for (const paneId of paneIds) this.schedule.add(paneId, nowMs);
    const left = this.schedule.paneIds.filter((paneId) => !paneIds.has(paneId));
    for (const paneId of left) {
      this.schedule.remove(paneId);
      this.#styled.delete(paneId);
    }
    return left;
  }

  /** When the next capture is due and there is room for it. */
  get nextMs(): number {
    if (this.#freeCount === 0) return Number.POSITIVE_INFINITY;
    const nextMs = Math.max(this.schedule.nextMs, this.#batchEndMs);
    if (!this.#isDegraded) return nextMs;
    return Math.max(nextMs, this.#processAtMs + this.#options.config().screen.lookMs);
  }

  /** The panes that are due, by command line; each line is to be given to `capture`. */
  take(nowMs: number): readonly (readonly string[])[] {
    if (this.nextMs > nowMs) return [];
    const paneIds = this.schedule.take(nowMs, this.#freeCount);
    const waitMs = Math.min(this.schedule.paneIds.length * BATCH_MS, BATCH_MS_MAX);
    this.#batchEndMs = this.schedule.nextMs <= nowMs ? nowMs : nowMs + waitMs;
    if (this.#isDegraded) this.#processAtMs = nowMs;
    this.#openCount += paneIds.length;
    const lines: (readonly string[])[] = [];
    for (let from = 0; from < paneIds.length; from += LINE_PANES) {
      lines.push(paneIds.slice(from, from + LINE_PANES));
    }
    return lines;
  }

  /**
   * The screens of one line, in groups that came at once; each is to be reported by `done`. Throws
   * a Fault where tmux does not answer: then those that are left are due again later.
   */
  async *capture(line: readonly string[]): AsyncGenerator<Iterable<PaneCapture>> {
    let left = line;
    try {
      while (left.length > 0) {
        const paneIds = left;
        const isStyled = paneIds.map((paneId) => this.#styled.has(paneId));
        const replies = await this.#run(paneIds, isStyled);
        // An error ends the line: it belongs to a pane that is gone, and those after it are left.
        const count = Math.max(1, Math.ceil(replies.length / CAPTURE_REPLIES));
        left = paneIds.slice(count);
        yield this.#read(paneIds.slice(0, count), replies, isStyled);
      }
    } finally {
      this.#openCount -= line.length;
      const atMs = this.#options.nowMs();
      for (const paneId of left) this.done({ paneId, screen: null, atMs }, noResult);
    }
  }

  /** A capture was read, and this came of it. */
  done({ paneId, screen, atMs }: PaneCapture, result: CaptureResult): void {
    const nowMs = this.#options.nowMs();
    const { isNew, needsSecondCapture, asksStyle } = result;
    const costMs = nowMs - atMs + CAPTURE_COST_MS;
    this.schedule.done(paneId, { isNew, needsSecondCapture, nowMs, costMs });
    if (asksStyle === false) this.#styled.delete(paneId);
    if (!asksStyle) return;
    this.#styled.add(paneId);
    if (!screen?.isStyled) this.schedule.again(paneId, nowMs);
  }

  get #isDegraded(): boolean {
    const { state, plain } = this.#options.link.status;
    return state === 'degraded' || plain === 'process';
  }

  /** When each command line costs a process, the due panes share one. */
  get #freeCount(): number {
    const { looksMax } = this.#options.config().screen;
    if (this.#isDegraded) return this.#openCount === 0 ? Math.min(looksMax, LINE_PANES) : 0;
    return Math.max(0, looksMax - this.#openCount);
  }

  #run(paneIds: readonly string[], isStyled: readonly boolean[]): ReturnType<TmuxLink['run']> {
    const { link, config } = this.#options;
    const commands = paneIds.flatMap((paneId, index) => captureCommands(paneId, isStyled[index]));
    return link.run(commands, { deadlineMs: config().tmux.commandTimeoutMs });
  }

  /** Read one by one, so that the time of each counts for itself. */
  *#read(
    paneIds: readonly string[],
    replies: Awaited<ReturnType<TmuxLink['run']>>,
    isStyled: readonly boolean[],
  ): Iterable<PaneCapture> {
    for (const [index, paneId] of paneIds.entries()) {
      const atMs = this.#options.nowMs();
      const from = index * CAPTURE_REPLIES;
      const screen = readCapture(replies.slice(from, from + CAPTURE_REPLIES), isStyled[index]);
      yield { paneId, screen: this.schedule.has(paneId) ? screen : null, atMs };
    }
  }
}
