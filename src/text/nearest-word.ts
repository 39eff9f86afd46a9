// The nearest known word to a mistyped one, for "did you mean". Pure.

/** A word further away than this is another word, not a slip. */
const DISTANCE_MAX = 2;
/** Nobody mistypes a word of this length; it bounds the work on a hostile argument. */
const LENGTH_MAX = 40;

export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  let best: string | undefined;
  // A short word has no slip of two letters in it: everything would be near.
  let bestDistance = Math.min(DISTANCE_MAX, Math.floor(word.length / 2)) + 1;
  for (const each of known) {
    const found = word.length > 2 && each.startsWith(word) ? 0 : distance(word, each);
    if (found < bestDistance) [best, bestDistance] = [each, found];
  }
  return best;
}

/** Edits from one word to the other; a swap of neighbours counts as one. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + cost,
        isSwap ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, previous] = [previous, current];
  }
  return previous[to.length] ?? 0;
}
