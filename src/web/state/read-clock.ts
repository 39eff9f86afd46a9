// Whether a person had the time to read what is shown before pressing what stands there. Pure: the
// component that draws it passes in what is shown, and the times.

/** What came up less than this long ago was not read by who presses something. */
export const READ_MS = 800;

export class ReadClock {
  #shown: string | null = null;
  #sinceMs = Number.POSITIVE_INFINITY;

  /** That is shown from now on; whether it is new, so that it has to be read. */
  show(shown: string): boolean {
    if (shown === this.#shown) return false;
    this.#shown = shown;
    this.#sinceMs = Number.POSITIVE_INFINITY;
    return true;
  }

  /** That could be seen since then, if it is still what is shown. */
  drawn(shown: string, nowMs: number): void {
    if (shown === this.#shown) this.#sinceMs = nowMs;
  }

  /** How long until it was readable for long enough: 0 where it was. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#sinceMs + READ_MS - nowMs);
  }
}

/** Numbers for the places in a list: whatever changes moves all that stands below it. */
export class Places {
  #shown: readonly string[] = [];
  #places: readonly number[] = [];
  #next = 0;

  /** One number for each, another than before where it changed or something above it did. */
  of(shown: readonly string[]): readonly number[] {
    const changed = shown.findIndex((each, index) => each !== this.#shown[index]);
    const same = changed === -1 ? shown.length : changed;
    if (same < shown.length) this.#next += 1;
    this.#places = shown.map((_, index) =>
      index < same ? (this.#places[index] ?? this.#next) : this.#next,
    );
    this.#shown = shown;
    return this.#places;
  }
}
