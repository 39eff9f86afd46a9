// When a tap may be opened. tmux 3.3a dies when it has a notice for a control client that is still
// attaching, so taps wait until no notice has come for a moment: scripts make sessions and windows
// in a row, and it is then that agents are found. Pure: times come in as arguments.

const QUIET_MS = 300;
/** A server that is never quiet is tapped all the same. */
const WAIT_MS_MAX = 3_000;

export class QuietPeriod {
  #noticedMs = Number.NEGATIVE_INFINITY;
  #sinceMs: number | null = null;

  /** A notification came from tmux. */
  noticed(nowMs: number): void {
    this.#noticedMs = nowMs;
  }

  /** How long those who want to attach have to wait; 0 when they may. */
  waitMs(nowMs: number): number {
    const quietMs = nowMs - this.#noticedMs;
    const waitedMs = nowMs - (this.#sinceMs ?? nowMs);
    if (quietMs >= QUIET_MS || waitedMs >= WAIT_MS_MAX) {
      this.#sinceMs = null;
      return 0;
    }
    this.#sinceMs ??= nowMs;
    return QUIET_MS - quietMs;
  }
}
