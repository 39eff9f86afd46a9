// Whose output is read when panes print very much. tmux writes every byte again for a tap, which
// makes a flooding program slower, and agents at work paint the same lines over and over. A pane
// that floods is paused at once, whatever it prints; beyond a budget for all together those that
// only repaint are, too. tmux goes on reading a paused pane and sends us nothing, so its screen is
// captured instead. Each is resumed from time to time. Pure: times come in as arguments.

import { floodPauses } from './flood-pauses.ts';

/** So much costs tmux and us together some 8 % of a core; forty agents at work print less. */
const BYTES_PER_SECOND = 128_000;
/** More than this of one pane in a second is a flood: an agent at work prints a fiftieth. */
const FLOOD_BYTES = 256_000;
/** More than this from all panes together pauses those that print most, whatever they print. */
const TOTAL_BYTES_MAX = 1_000_000;
const WINDOW_MS = 1_000;
/** Only a pane without news for this long may be paused. */
const SIGN_MS = 3_000;
/** A pane is resumed after a time between these two, so that not all are at once. */
const PAUSE_MS: readonly [number, number] = [6_000, 14_000];
/** How often the screen of a paused pane is captured. */
const CAPTURE_MS = 1_400;
/** More than agents that live at a time; one that was forgotten sends another OSC. */
const EXEMPTED_MAX = 5_000;

interface PrintedOutput {
  byteCount: number;
  /** When it last printed news or a signal. */
  signAtMs: number;
}

interface PausedOutput {
  readonly untilMs: number;
  captureAtMs: number;
}

export interface BudgetTurn {
  readonly pause: readonly string[];
  readonly resume: readonly string[];
  /** Paused panes whose screens are to be captured now. */
  readonly capture: readonly string[];
}

export interface OutputBudget {
  /**
   * A pane printed so much; `isSign`: and it was no mere repaint. Returns whether it floods and is
   * to be paused at once.
   */
  spend(paneId: string, byteCount: number, isSign: boolean, atMs: number): boolean;
  /** A pane that sends OSC is paused only where it floods. */
  exempt(paneId: string): void;
  isPaused(paneId: string): boolean;
  /** Whether no pane is paused: then no turn is needed before something is printed. */
  isUnused(): boolean;
  /** The pauses and resumes that are due. Call it about ten times a second. */
  turn(atMs: number): BudgetTurn;
  /** The tap of a pane has ended: the next one reads it. */
  forget(paneId: string): void;
}

/** The budget of one server. */
export function outputBudget(): OutputBudget {
  const panes = new Map<string, PrintedOutput>();
  const paused = new Map<string, PausedOutput>();
  const exempted = new Set<string>();
  const floods = floodPauses();
  let windowEndMs = Number.NEGATIVE_INFINITY;

  const pauseFlood = (paneId: string, pane: PrintedOutput, atMs: number): void => {
    pane.byteCount = 0;
    const untilMs = atMs + floods.nextPauseMs(paneId, atMs);
    paused.set(paneId, { untilMs, captureAtMs: atMs + CAPTURE_MS });
  };

  const endWindow = (atMs: number): readonly string[] => {
    windowEndMs = atMs + WINDOW_MS;
    const chosen = tooMuch(panes, exempted, atMs);
    const [leastMs, mostMs] = PAUSE_MS;
    for (const [index, paneId] of chosen.entries()) {
      const pauseMs = leastMs + ((mostMs - leastMs) * index) / chosen.length;
      const lookAtMs = atMs + (CAPTURE_MS * (index + 1)) / chosen.length;
      paused.set(paneId, { untilMs: atMs + pauseMs, captureAtMs: lookAtMs });
    }
    floods.forgetOver(atMs);
    for (const [paneId, pane] of panes) {
      if (pane.byteCount === 0 && !paused.has(paneId)) panes.delete(paneId);
      pane.byteCount = 0;
    }
    return chosen;
  };

  return {
    spend(paneId, byteCount, isSign, atMs) {
      const pane = panes.get(paneId) ?? { byteCount: 0, signAtMs: atMs };
      panes.set(paneId, pane);
      pane.byteCount += byteCount;
      if (isSign) pane.signAtMs = atMs;
      if (pane.byteCount <= FLOOD_BYTES) return false;
      pauseFlood(paneId, pane, atMs);
      return true;
    },
    exempt(paneId) {
      if (exempted.size >= EXEMPTED_MAX) exempted.clear();
      exempted.add(paneId);
    },
    isPaused: (paneId) => paused.has(paneId),
    isUnused: () => paused.size === 0,
    turn(atMs) {
      const resume: string[] = [];
      const capture: string[] = [];
      for (const [paneId, pane] of paused) {
        if (atMs >= pane.untilMs) resume.push(paneId);
        if (atMs < pane.untilMs && atMs < pane.captureAtMs) continue;
        capture.push(paneId);
        pane.captureAtMs = atMs + CAPTURE_MS;
      }
      for (const paneId of resume) paused.delete(paneId);
      return { pause: atMs >= windowEndMs ? endWindow(atMs) : [], resume, capture: capture };
    },
    forget(paneId) {
      panes.delete(paneId);
      paused.delete(paneId);
      floods.forget(paneId);
    },
  };
}

/** The panes to pause so that the rest keeps to the budget: those that print most. */
function tooMuch(
  panes: ReadonlyMap<string, PrintedOutput>,
  exempted: ReadonlySet<string>,
  atMs: number,
): readonly string[] {
  let left = 0;
  for (const { byteCount } of panes.values()) left += byteCount;
  const chosen = new Set<string>();
  const choose = (from: readonly [string, PrintedOutput][], bytesMax: number): void => {
    for (const [paneId, { byteCount }] of from) {
      if (left <= bytesMax || byteCount === 0) break;
      if (chosen.has(paneId)) continue;
      left -= byteCount;
      chosen.add(paneId);
    }
  };
  const printing = [...panes].sort(([, a], [, b]) => b.byteCount - a.byteCount);
  const isRepaint = ([paneId, { signAtMs }]: [string, PrintedOutput]): boolean =>
    atMs - signAtMs >= SIGN_MS && !exempted.has(paneId);
  choose(printing.filter(isRepaint), BYTES_PER_SECOND);
  choose(printing, TOTAL_BYTES_MAX);
  return [...chosen];
}
