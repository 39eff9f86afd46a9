// What taps have seen and the daemon has not been told yet, merged so that it cannot grow: sets of
// pane ids, and a bounded list of OSC. No I/O; the worker decides when it is sent.

/** Far more than agents send between two reports; beyond it the pane is looked at instead. */
const OSC_COUNT_MAX = 512;

export interface TappedOsc {
  readonly paneId: string;
  readonly number: 3008 | 7501;
  /** What stands between `ESC ] <number> ;` and its end. */
  readonly text: string;
  /** Epoch milliseconds at which the worker read it. */
  readonly atMs: number;
}

/** What the taps of one server saw since the last report. */
export interface TapReport {
  readonly socketPath: string;
  /** Panes that printed something. */
  readonly changed: readonly string[];
  /** Panes that set their title (OSC 0 or 2). */
  readonly titled: readonly string[];
  readonly bells: readonly string[];
  /** Panes of which output was missed: look at their screen. */
  readonly gaps: readonly string[];
  readonly osc: readonly TappedOsc[];
  /** Sessions whose tap has ended; each is opened again only by the next `set`. */
  readonly closed: readonly string[];
}

export interface PendingReport {
  readonly changed: Set<string>;
  readonly titled: Set<string>;
  readonly bells: Set<string>;
  readonly gaps: Set<string>;
  readonly closed: Set<string>;
  addOsc(osc: TappedOsc): void;
  isEmpty(): boolean;
  /** Whether it holds more than that something was printed. */
  isUrgent(): boolean;
  toReport(socketPath: string): TapReport;
}

/** A report with nothing in it yet. */
export function pendingReport(): PendingReport {
  const osc: TappedOsc[] = [];
  const changed = new Set<string>();
  const titled = new Set<string>();
  const bells = new Set<string>();
  const gaps = new Set<string>();
  const closed = new Set<string>();
  const isUrgent = (): boolean =>
    osc.length + titled.size + bells.size + gaps.size + closed.size > 0;
  return {
    ...{ changed, titled, bells, gaps, closed, isUrgent },
    addOsc(added) {
      if (osc.length < OSC_COUNT_MAX) osc.push(added);
      else gaps.add(added.paneId);
    },
    isEmpty: () => changed.size === 0 && !isUrgent(),
    toReport: (socketPath) => ({
      socketPath,
      changed: [...changed],
      titled: [...titled],
      bells: [...bells],
      gaps: [...gaps],
      osc,
      closed: [...closed],
    }),
  };
}
