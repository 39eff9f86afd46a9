// What changes between two texts, as lines with `-` and `+` and some of the lines around them.

const AROUND = 2;
/** Longer texts are compared from both ends only: the table of all pairs would be too large. */
const LINES_MAX = 2_000;

type Line = readonly [mark: ' ' | '-' | '+', text: string];

/** Empty where nothing changes. */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = sharedCount(old, now, (lines, index) => lines[index]);
  const left = [old.slice(start), now.slice(start)] as const;
  const end = sharedCount(...left, (lines, index) => lines[lines.length - 1 - index]);
  const [goes, comes] = left.map((lines) => lines.slice(0, lines.length - end));
  const same = (lines: readonly string[]): readonly Line[] => lines.map((text) => [' ', text]);
  const all = [
    ...same(old.slice(0, start)),
    ...changedLines(goes ?? [], comes ?? []),
    ...same(old.slice(old.length - end)),
  ];
  return all
    .filter((_, index) =>
      all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(([mark]) => mark !== ' '),
    )
    .map(([mark, text]) => `${mark}${text}\n`)
    .join('');
}

const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

function sharedCount(
  a: readonly string[],
  b: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && at(a, count) === at(b, count)) count += 1;
  return count;
}

function changedLines(goes: readonly string[], comes: readonly string[]): readonly Line[] {
  if (goes.length > LINES_MAX || comes.length > LINES_MAX) {
    return [...goes.map((text): Line => ['-', text]), ...comes.map((text): Line => ['+', text])];
  }
  const lengths = sharedLengths(goes, comes);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < goes.length || j < comes.length) {
    const [old, now] = [goes[i], comes[j]];
    if (old !== undefined && old === now) {
      lines.push([' ', old]);
      [i, j] = [i + 1, j + 1];
    } else if (now !== undefined && (lengths(i, j + 1) > lengths(i + 1, j) || old === undefined)) {
      lines.push(['+', now]);
      j += 1;
    } else if (old !== undefined) {
      lines.push(['-', old]);
      i += 1;
    }
  }
  return lines;
}

/** How many lines the rests of both have in common, in their order. */
function sharedLengths(
  a: readonly string[],
  b: readonly string[],
): (i: number, j: number) => number {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => (i > a.length ? 0 : (table[i * width + j] ?? 0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
