// Sets of code points as sorted ranges: just enough to ask whether two parts of a pattern can match
// the same character. Used by the pattern checker only; unknown classes count as everything.

/** Inclusive ranges, sorted, not touching. */
export type CharSet = readonly (readonly [number, number])[];

const LAST = 0x10ffff;
export const NOTHING: CharSet = [];
export const EVERYTHING: CharSet = [[0, LAST]];

export const charOf = (codePoint: number): CharSet => [[codePoint, codePoint]];

/** All ranges of both, merged. */
export function union(a: CharSet, b: CharSet): CharSet {
  const sorted = [...a, ...b].sort((x, y) => x[0] - y[0]);
  const merged: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** Every code point that is not in the set. */
export function complement(set: CharSet): CharSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}

export function overlaps(a: CharSet, b: CharSet): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
}

const DIGIT: CharSet = [[0x30, 0x39]];
const WORD: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** What `.` matches without the s flag. */
export const ANY_BUT_NEWLINE: CharSet = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};

/** The set of `\d`, `\w`, `\s` and their opposites; null for any other letter. */
export const classOf = (letter: string): CharSet | null => CLASSES[letter] ?? null;

/** Letters outside ASCII that are the other case of `k` and of `s`. */
const KELVIN = 0x212a;
const LONG_S = 0x17f;

/** ASCII, and blocks of spaces, punctuation, boxes and symbols: no other case. */
export const PLAIN_CASE: CharSet = [
  [0x00, 0xb4],
  [0x1680, 0x1680],
  [0x2000, 0x2125],
  [0x2190, 0x24b5],
  [0x24ea, 0x2bff],
  [0x3000, 0x303f],
  [0xfeff, 0xfeff],
];
const OTHER_CASE: CharSet = complement(PLAIN_CASE);

/** A set with case ignored. Non-ASCII letters fold in many ways, so they count as everything. */
export function foldCase(set: CharSet): CharSet {
  if (overlaps(set, OTHER_CASE)) return EVERYTHING;
  let folded = set;
  for (const [low, high] of set) {
    for (const [from, to, shift] of [
      [0x41, 0x5a, 32],
      [0x61, 0x7a, -32],
    ] as const) {
      const start = Math.max(low, from);
      const end = Math.min(high, to);
      if (start <= end) folded = union(folded, [[start + shift, end + shift]]);
    }
  }
  if (overlaps(folded, charOf(0x6b))) folded = union(folded, charOf(KELVIN));
  return overlaps(folded, charOf(0x73)) ? union(folded, charOf(LONG_S)) : folded;
}
