// The looks at the screens of one server: which pane is captured when, through the control client
// or, where there is none, many in one process. What a screen says is screen-source.ts, when a pane
// is due look-schedule.ts.

import { Fault } from '../../platform/fault.ts';
import type { Config } from '../../schema/config.ts';
import type { ChannelName } from '../../schema/ids.ts';
import { type CapturedScreen, captureCommands, readCapture } from '../../tmux/capture.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import type { Daemon, KnownPane } from '../known-pane.ts';
import { type ScreenJudgement, ScreenSource } from '../panes/screen-source.ts';
import type { TitleOrigin } from '../panes/title-source.ts';
import type { PaneAgent } from './agent-readings.ts';
import { CaptureSchedule } from './capture-schedule.ts';

/** What one capture costs tmux, beside what it costs us. */
const CAPTURE_COST_MS = 0.15;
const CAPTURE_REPLIES = captureCommands('%0').length;
/** So many panes that are due at once are asked for in one line. */
const LINE_PANES = 16;
/** A wake-up of tmux gets dearer with each pane: looks wait for each other so long, for each. */
const TOGETHER_MS = 1;
const TOGETHER_MS_MAX = 200;

/** A screen that was read, with the agent that it may be of. */
export interface ScreenReading {
  readonly paneId: string;
  readonly agent: PaneAgent | null;
  readonly screen: CapturedScreen;
  readonly look: ScreenJudgement;
}

export interface ScreenCapturesOptions {
  readonly link: TmuxLink;
  readonly daemon: Daemon;
  readonly channel: ChannelName;
  readonly config: () => Config;
  readonly known: (paneId: string) => KnownPane | null;
  readonly agentIn: (pane: KnownPane) => PaneAgent | null;
  readonly titleOrigin: (agent: PaneAgent, title: string) => TitleOrigin;
  readonly onSeen: (seen: ScreenReading) => void;
  /** Another process is in a pane now: the listing must tell before anything counts. */
  readonly onStranger: () => void;
  readonly onFault: (fault: Fault) => void;
  /** Captures came back: the next may be due. */
  readonly onFree: () => void;
}

export class ScreenCaptures {
  readonly #options: ScreenCapturesOptions;
  readonly #schedule: CaptureSchedule;
  readonly #screens: ScreenSource;
  /** Panes whose rules ask for styles, until they do so no more. */
  readonly #styled = new Set<string>();
  #openCount = 0;
  #lookCount = 0;
  /** Until then looks that get due are made together. */
  #togetherMs = Number.NEGATIVE_INFINITY;
  #processAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: ScreenCapturesOptions) {
    this.#options = options;
    this.#schedule = new CaptureSchedule(() => options.config().screen);
    this.#screens = new ScreenSource(options.daemon, options.channel);
  }

  /** Screens that were read. */
  get count(): number {
    return this.#lookCount;
  }

  get paneIds(): readonly string[] {
    return this.#schedule.paneIds;
  }

  /** Whether the screen of a pane is looked at when it may have changed. */
  isFollowed(paneId: string): boolean {
    return this.#schedule.has(paneId);
  }

  viewOf(paneId: string, panePid: number): ReturnType<ScreenSource['viewOf']> {
    return this.#screens.viewOf(paneId, panePid);
  }

  /** These panes are looked at from now on, and no others. */
  follow(paneIds: ReadonlySet<string>, nowMs: number): void {
    for (const paneId of paneIds) this.#schedule.add(paneId, nowMs);
    for (const paneId of this.#schedule.paneIds) {
      if (paneIds.has(paneId)) continue;
      this.#schedule.remove(paneId);
      this.#screens.forget(paneId);
      this.#styled.delete(paneId);
    }
  }

  /** The same was written to the pane as a moment ago. */
  repainted(paneId: string, nowMs: number): void {
    this.#schedule.repainted(paneId, nowMs);
  }

  /** Something was written to the pane, or it rang. */
  changed(paneId: string, nowMs: number): void {
    this.#schedule.changed(paneId, nowMs);
  }

  /** A look is asked for. */
  ask(paneId: string, nowMs: number): void {
    this.#schedule.ask(paneId, nowMs);
  }

  /** When the next look is due and may be made. */
  get nextMs(): number {
    if (this.#freeCount === 0) return Number.POSITIVE_INFINITY;
    const nextMs = Math.max(this.#schedule.nextMs, this.#togetherMs);
    if (!this.#isDegraded) return nextMs;
    return Math.max(nextMs, this.#processAtMs + this.#options.config().screen.lookMs);
  }

  /** Looks at what is due. */
  run(nowMs: number): void {
    if (this.nextMs > nowMs) return;
    const paneIds = this.#schedule.take(nowMs, this.#freeCount);
    const waitMs = Math.min(this.#schedule.paneIds.length * TOGETHER_MS, TOGETHER_MS_MAX);
    this.#togetherMs = this.#schedule.nextMs <= nowMs ? nowMs : nowMs + waitMs;
    if (this.#isDegraded) this.#processAtMs = nowMs;
    for (let from = 0; from < paneIds.length; from += LINE_PANES) {
      void this.#capture(paneIds.slice(from, from + LINE_PANES));
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  get #isDegraded(): boolean {
    return this.#options.link.status.state === 'degraded';
  }

  /** Where each look would be a process, those that are due share one. */
  get #freeCount(): number {
    const { looksMax } = this.#options.config().screen;
    if (this.#isDegraded) return this.#openCount === 0 ? Math.min(looksMax, LINE_PANES) : 0;
    return Math.max(0, looksMax - this.#openCount);
  }

  async #capture(paneIds: readonly string[]): Promise<void> {
    this.#openCount += paneIds.length;
    let left = paneIds;
    try {
      while (left.length > 0 && !this.#isClosed) left = left.slice(await this.#captureSome(left));
    } catch (error) {
      // The world misbehaves: they are looked at again soon. Our own bugs are not caught.
      if (!(error instanceof Fault)) throw error;
      this.#options.onFault(error);
    } finally {
      this.#openCount -= paneIds.length;
      for (const paneId of left) this.#looked(paneId, nothingSeen, this.#options.daemon.nowMs());
      this.#options.onFree();
    }
  }

  /** Captures and reads some of the panes, the first at least. Returns how many. */
  async #captureSome(paneIds: readonly string[]): Promise<number> {
    const { link, config, daemon } = this.#options;
    const deadlineMs = config().tmux.commandTimeoutMs;
    const styles = paneIds.map((paneId) => this.#styled.has(paneId));
    const commands = paneIds.flatMap((paneId, index) => captureCommands(paneId, styles[index]));
    const replies = await link.run(commands, { deadlineMs });
    // An error ends the line: it belongs to a pane that is gone, and those after it are left.
    const count = Math.max(1, Math.ceil(replies.length / CAPTURE_REPLIES));
    for (const [index, paneId] of paneIds.slice(0, count).entries()) {
      const readMs = daemon.nowMs();
      const from = index * CAPTURE_REPLIES;
      const screen = readCapture(replies.slice(from, from + CAPTURE_REPLIES), styles[index]);
      const look = screen === null || this.#isClosed ? nothingSeen : this.#read(paneId, screen);
      this.#looked(paneId, look, readMs);
      if (this.#styled.has(paneId) && !styles[index]) this.#schedule.again(paneId, daemon.nowMs());
    }
    return count;
  }

  #read(
    paneId: string,
    screen: CapturedScreen,
  ): Pick<ScreenJudgement, 'isNew' | 'needsSecondCapture'> {
    // The pane has left while it was captured; nobody would forget what was kept of it now.
    if (!this.#schedule.has(paneId)) return nothingSeen;
    const known = this.#options.known(paneId);
    if (known?.facts.birth.pid !== screen.panePid) {
      this.#options.onStranger();
      return { isNew: true, needsSecondCapture: false };
    }
    this.#lookCount += 1;
    const agent = this.#options.agentIn(known);
    const origin = agent === null ? 'own' : this.#options.titleOrigin(agent, screen.title);
    const look = this.#screens.read(paneId, screen, agent, origin);
    if (look.asksStyle) this.#styled.add(paneId);
    else this.#styled.delete(paneId);
    this.#options.onSeen({ paneId, agent, screen, look });
    return look;
  }

  #looked(
    paneId: string,
    { isNew, needsSecondCapture }: Pick<ScreenJudgement, 'isNew' | 'needsSecondCapture'>,
    readMs: number,
  ): void {
    const nowMs = this.#options.daemon.nowMs();
    const costMs = nowMs - readMs + CAPTURE_COST_MS;
    this.#schedule.done(paneId, { isNew, needsSecondCapture, nowMs, costMs });
  }
}

const nothingSeen = { isNew: false, needsSecondCapture: false };
