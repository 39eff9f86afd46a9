// When each screen is captured: soon after a change, then at a pace while the pane keeps changing,
// and with growing intervals while it does not. Pure: times come in as arguments.

import { type Config, defaultConfig } from '../../schema/config.ts';

/** A repaint comes in several writes: never capture a half-drawn frame. */
const SETTLE_MS = 30;
/** All captures together may take this share of a core. */
const SHARE_MAX = 0.08;
/** Beyond this share the intervals of captures without news grow, up to so many times. */
const CALM_SHARE = 0.02;
const CALM_MAX = 5;
const COUNT_MS = 1_000;

/** Read each time, because the configuration may change. */
type CaptureConfig = () => Config['screen'];

interface PaneSchedule {
  dueMs: number;
  lastMs: number;
  /** The last capture that was asked for. */
  requestedMs: number;
  restMs: number;
}

export class CaptureSchedule {
  readonly #config: CaptureConfig;
  readonly #panes = new Map<string, PaneSchedule>();
  #paceMs: number;
  /** The factor on the configured interval of a screen without news. */
  #calm = 1;
  #spentMs = 0;
  #countedFromMs = 0;

  constructor(config: CaptureConfig = () => defaultConfig.screen) {
    this.#config = config;
    this.#paceMs = config().lookMs;
  }

  /** The pane is captured from now on, the first time at once. */
  add(paneId: string, nowMs: number): void {
    if (this.#panes.has(paneId)) return;
    const restMs = this.#config().restMinMs;
    this.#panes.set(paneId, { dueMs: nowMs, lastMs: 0, requestedMs: 0, restMs });
  }

  /** Whether the screen of a pane is captured when it may have changed. */
  has(paneId: string): boolean {
    return this.#panes.has(paneId);
  }

  remove(paneId: string): void {
    this.#panes.delete(paneId);
  }

  get paneIds(): readonly string[] {
    return [...this.#panes.keys()];
  }

  /** Something was written to the pane. */
  changed(paneId: string, nowMs: number): void {
    this.#follow(paneId, nowMs, this.#paceMs);
  }

  /** A spinner turned: the screen must be captured, but not soon. */
  repainted(paneId: string, nowMs: number): void {
    this.#follow(paneId, nowMs, this.#calmMs(this.#config().repaintMs));
  }

  #follow(paneId: string, nowMs: number, paceMs: number): void {
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    pane.restMs = this.#config().restMinMs;
    const soonMs = Math.max(nowMs + SETTLE_MS, pane.lastMs + paceMs);
    pane.dueMs = Math.min(pane.dueMs, soonMs);
  }

  /** An event or a person asks for a capture. An endless stream of events keeps the pace. */
  ask(paneId: string, nowMs: number): void {
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    const soonMs = Math.max(nowMs, pane.requestedMs + this.#config().lookMs);
    if (soonMs >= pane.dueMs) return;
    pane.dueMs = soonMs;
    pane.requestedMs = soonMs;
  }

  /** The last capture could not be judged: another is due at once. */
  again(paneId: string, nowMs: number): void {
    const pane = this.#panes.get(paneId);
    if (pane) pane.dueMs = Math.min(pane.dueMs, nowMs);
  }

  /** The panes to capture now, the longest due first; each must be reported by `done`. */
  take(nowMs: number, countMax: number): readonly string[] {
    const due: [string, PaneSchedule][] = [];
    for (const entry of this.#panes) if (entry[1].dueMs <= nowMs) due.push(entry);
    due.sort(([, a], [, b]) => a.dueMs - b.dueMs);
    return due.slice(0, countMax).map(([paneId, pane]) => {
      pane.dueMs = Number.POSITIVE_INFINITY;
      pane.lastMs = nowMs;
      return paneId;
    });
  }

  /** A capture was read: when the next is due depends on what it showed. */
  done(
    paneId: string,
    capture: { nowMs: number; costMs: number; isNew: boolean; needsSecondCapture: boolean },
  ): void {
    this.#spend(capture.costMs, capture.nowMs);
    const pane = this.#panes.get(paneId);
    if (!pane) return;
    const { confirmMs, restMinMs, restMaxMs } = this.#config();
    if (capture.isNew) pane.restMs = restMinMs;
    const waitMs = capture.needsSecondCapture ? confirmMs : this.#calmMs(pane.restMs);
    if (!capture.needsSecondCapture) pane.restMs = Math.min(pane.restMs * 2, restMaxMs);
    pane.dueMs = Math.min(pane.dueMs, capture.nowMs + waitMs);
  }

  /** When the next capture is due; infinite when there is none. */
  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#panes.values()) nextMs = Math.min(nextMs, dueMs);
    return nextMs;
  }

  #calmMs(waitMs: number): number {
    return Math.min(waitMs * this.#calm, Math.max(waitMs, this.#config().restMaxMs));
  }

  // Once a second the pace follows the load: slower while captures take more than their share.
  #spend(costMs: number, nowMs: number): void {
    this.#spentMs += costMs;
    const spanMs = nowMs - this.#countedFromMs;
    if (spanMs < COUNT_MS) return;
    const share = this.#spentMs / spanMs;
    const { lookMs, lookMaxMs } = this.#config();
    this.#paceMs = within(this.#paceMs * within(share / SHARE_MAX, 0.5, 2), lookMs, lookMaxMs);
    this.#calm = within(this.#calm * within(share / CALM_SHARE, 0.5, 2), 1, CALM_MAX);
    this.#spentMs = 0;
    this.#countedFromMs = nowMs;
  }
}

const within = (value: number, min: number, max: number): number =>
  Math.min(Math.max(value, min), max);
