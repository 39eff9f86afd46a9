// Whose output is read when very many panes print at once. tmux writes every byte again for a tap,
// and agents at work paint the same lines over and over. Beyond a budget the panes that only
// repaint are paused: tmux goes on reading them and sends us nothing, so their screens are captured
// instead. Each is resumed from time to time. Pure: times come in as arguments.

/** So much costs tmux and us together some 8 % of a core; forty agents at work print less. */
const BYTES_PER_SECOND = 128_000;
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
  /** A pane printed so much; `isSign`: and it was no mere repaint. */
  spend(paneId: string, byteCount: number, isSign: boolean, atMs: number): void;
  /** A pane that sends OSC is never paused. */
  exempt(paneId: string): void;
  isPaused(paneId: string): boolean;
  /** Whether no pane is paused: then no turn is needed before something is printed. */
  isUnused(): boolean;
  /** What is to be done now; to be called some ten times a second. */
  turn(atMs: number): BudgetTurn;
  /** The tap of a pane has ended: the next one reads it. */
  forget(paneId: string): void;
}

/** The budget of one server. */
export function outputBudget(): OutputBudget {
  const panes = new Map<string, PrintedOutput>();
  const paused = new Map<string, PausedOutput>();
  const exempted = new Set<string>();
  let windowEndMs = Number.NEGATIVE_INFINITY;

  /** The panes to pause so that the rest keeps to the budget: those that print most. */
  const tooMuch = (atMs: number): readonly string[] => {
    let left = 0;
    for (const { byteCount } of panes.values()) left += byteCount;
    const repainting = [...panes].filter(
      ([paneId, { signAtMs }]) => atMs - signAtMs >= SIGN_MS && !exempted.has(paneId),
    );
    repainting.sort(([, a], [, b]) => b.byteCount - a.byteCount);
    const chosen: string[] = [];
    for (const [paneId, { byteCount }] of repainting) {
      if (left <= BYTES_PER_SECOND || byteCount === 0) break;
      left -= byteCount;
      chosen.push(paneId);
    }
    return chosen;
  };

  const endWindow = (atMs: number): readonly string[] => {
    windowEndMs = atMs + WINDOW_MS;
    const chosen = tooMuch(atMs);
    const [leastMs, mostMs] = PAUSE_MS;
    for (const [index, paneId] of chosen.entries()) {
      const pauseMs = leastMs + ((mostMs - leastMs) * index) / chosen.length;
      const lookAtMs = atMs + (CAPTURE_MS * (index + 1)) / chosen.length;
      paused.set(paneId, { untilMs: atMs + pauseMs, captureAtMs: lookAtMs });
    }
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
    },
  };
}
