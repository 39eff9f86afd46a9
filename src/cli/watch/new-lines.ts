// Which lines of a terminal are new, read off captures taken one after the other. A line is shown
// once it has stood still for two captures: what an agent draws over and over, such as the seconds
// of its turn, never does. Pure.

/** The last lines of a terminal. */
export interface SeenLines {
  readonly lines: readonly string[];
  /** How many of them have scrolled off. */
  readonly scrolled: number;
}

export interface FollowedLines {
  /** How many lines a capture has at most. */
  readonly count: number;
  /** The last capture. */
  readonly seen: SeenLines;
  /** What stood still in it. */
  readonly shown: SeenLines;
}

export interface NewLines {
  readonly state: FollowedLines;
  readonly lines: readonly string[];
  /** Nothing of what was shown is in view any more: lines may be left out. */
  readonly isGap: boolean;
}

/** As many lines at the top of a screen tell that nothing went past above it. */
const TOP_LINES = 2;

export const followLines = (first: SeenLines, count: number): FollowedLines => ({
  ...{ count, seen: first, shown: first },
});

/** Takes the next capture; of the last one every line counts. */
export function takeLines(
  { count, seen, shown }: FollowedLines,
  now: SeenLines,
  { isLast = false } = {},
): NewLines {
  const still = isLast ? now : standing(seen, now);
  const lines = newOnScreen(shown, still) ?? newOf(shown.lines, still.lines);
  const hasText = lines.some(isText);
  const isFull = now.lines.length >= count;
  const isGap = hasText && isFull && lines.length === still.lines.length;
  return { state: { count, seen: now, shown: still }, lines: hasText ? lines : [], isGap };
}

const isText = (line: string): boolean => line.trim() !== '';
const screenOf = ({ lines, scrolled }: SeenLines): readonly string[] => lines.slice(scrolled);

/** The lines of a capture that were in the one before, on its screen or in all of it. */
function standing(before: SeenLines, now: SeenLines): SeenLines {
  const kept = new Set(keptFrom(before.lines, now.lines));
  for (const at of keptFrom(screenOf(before), screenOf(now))) kept.add(now.scrolled + at);
  return {
    lines: now.lines.filter((_, at) => kept.has(at)),
    scrolled: [...kept].filter((at) => at < now.scrolled).length,
  };
}

/**
 * The new lines of a screen whose top is known; else null. What went past above it is then nothing
 * new: tmux keeps a copy in the history of each screen that a program clears and draws again.
 */
function newOnScreen(shown: SeenLines, still: SeenLines): readonly string[] | null {
  const screen = screenOf(still);
  const kept = keptFrom(screenOf(shown), screen);
  const top = [...screen.keys()].filter((at) => isText(screen[at] ?? '')).slice(0, TOP_LINES);
  return top.every((at) => kept.has(at)) ? screen.filter((_, at) => !kept.has(at)) : null;
}

function newOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const kept = keptFrom(before, after);
  return after.filter((_, at) => !kept.has(at));
}

/** Which lines of `after` are those of `before`, in the same order: as many as possible. */
function keptFrom(before: readonly string[], after: readonly string[]): ReadonlySet<number> {
  const kept = new Set<number>();
  const rows = before.length;
  const columns = after.length;
  // The longest common subsequence of what is left of both, for each place in each.
  const best = new Uint16Array((rows + 1) * (columns + 1));
  const at = (row: number, column: number): number => best[row * (columns + 1) + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      best[row * (columns + 1) + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (before[row] === after[column]) {
      kept.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}
