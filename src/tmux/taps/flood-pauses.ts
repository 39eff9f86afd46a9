// How long a pane that floods is paused: a moment first, and longer each time that it still does
// when it is read again. Pure: times come in as arguments.

const FIRST_MS = 1_000;
const CAP_MS = 14_000;
/** A pane that was read for so long without a flood has none any more. */
const OVER_MS = 5_000;

export interface FloodPauses {
  /** The pane floods now. Returns how long it is to be paused. */
  nextPauseMs(paneId: string, atMs: number): number;
  /** Forgets the floods that are over. */
  forgetOver(atMs: number): void;
  forget(paneId: string): void;
}

/** The floods of one server. */
export function floodPauses(): FloodPauses {
  const floods = new Map<string, { readonly pauseMs: number; readonly resumedAtMs: number }>();
  const isOver = (resumedAtMs: number, atMs: number): boolean => atMs - resumedAtMs >= OVER_MS;
  return {
    nextPauseMs(paneId, atMs) {
      const before = floods.get(paneId);
      const goesOn = before !== undefined && !isOver(before.resumedAtMs, atMs);
      const pauseMs = goesOn ? Math.min(CAP_MS, before.pauseMs * 2) : FIRST_MS;
      floods.set(paneId, { pauseMs, resumedAtMs: atMs + pauseMs });
      return pauseMs;
    },
    forgetOver(atMs) {
      for (const [paneId, { resumedAtMs }] of floods) {
        if (isOver(resumedAtMs, atMs)) floods.delete(paneId);
      }
    },
    forget: (paneId) => void floods.delete(paneId),
  };
}
