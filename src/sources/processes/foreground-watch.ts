// Whether a program was started in a pane without an agent, by its terminal's foreground: a file or
// two for each pane, less than a tenth of a scan. An agent that answers once and exits is over
// before a listing or the next scan of a quiet shell would show it.

/** An agent appears within a second of its start. */
const LOOK_MS = 800;

export interface ForegroundPane {
  readonly panePid: number;
  /** What ran in the foreground at the last look; null before the first. */
  foreground: string | null;
  /** It changed at the last look: what was started may not yet be what it becomes. */
  isSettling: boolean;
}

export class ForegroundWatch {
  readonly #read: ((pid: number) => string | null) | null;
  #dueMs = 0;

  /** `read` is null for another machine, whose processes are read together with each listing. */
  constructor(read: ((pid: number) => string | null) | null) {
    this.#read = read;
  }

  /** When the next look is due. */
  get nextMs(): number {
    return this.#read === null ? Number.POSITIVE_INFINITY : this.#dueMs;
  }

  /** Of these panes, those in which something was started or has ended since the last look. */
  changed<Pane extends ForegroundPane>(panes: Iterable<Pane>, nowMs: number): readonly Pane[] {
    if (this.#read === null || nowMs < this.#dueMs) return [];
    this.#dueMs = nowMs + LOOK_MS;
    const changed: Pane[] = [];
    for (const pane of panes) {
      const foreground = this.#read(pane.panePid);
      const isNew = pane.foreground !== null && foreground !== pane.foreground;
      if (isNew || pane.isSettling) changed.push(pane);
      pane.foreground = foreground;
      pane.isSettling = isNew;
    }
    return changed;
  }
}
