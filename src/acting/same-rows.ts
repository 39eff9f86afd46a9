// Rows of a screen as patterns that tmux looks for in the moment of a key: `#{C/r:}` gives the
// number of the first row that fits. Nothing of a row is read as a pattern or as a format.

/** All patterns of one command: tmux takes 16 kB of arguments from a process. */
const PATTERNS_BYTES_MAX = 5_000;

/** A pattern and the row, counted from one, that is the first to fit. */
export interface RowGuard {
  readonly row: number;
  readonly pattern: string;
}

export interface SameRows {
  readonly rows: readonly RowGuard[];
  /** Whether tmux would notice the change of any of the rows that were asked for. */
  readonly isComplete: boolean;
}

/** The rows, given by their index, as they are on the screen; blank ones are left out. */
export function sameRows(screen: readonly string[], indexes: readonly number[]): SameRows {
  const lines = screen.map(withoutEnd);
  const rows: RowGuard[] = [];
  let isComplete = true;
  let bytes = 0;
  // The lowest first: a dialog has its options there.
  for (const index of [...new Set(indexes)].toSorted((a, b) => b - a)) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const pattern = patternOf(line);
    bytes += Buffer.byteLength(pattern);
    const first = bytes > PATTERNS_BYTES_MAX ? -1 : firstFit(lines, pattern);
    if (first === index) rows.push({ row: index + 1, pattern });
    else isComplete = false;
  }
  return { rows, isComplete };
}

function firstFit(lines: readonly string[], pattern: string): number {
  const fits = new RegExp(pattern, 'u');
  return lines.findIndex((line) => fits.test(line));
}

/** tmux leaves out the blanks at the end too. */
const withoutEnd = (line: string): string => line.replace(/[ \t]+$/, '');

const patternOf = (line: string): string =>
  `^${[...line]
    .map(elementOf)
    .join('')
    .replace(/(?:\[\^ \]\+)+/g, '[^ ]+')}$`;

/** One character as an element of a pattern, the same to POSIX, to JavaScript and in a format. */
function elementOf(character: string): string {
  if (/[\w /=@~<>!&;:'"`-]/.test(character)) return character;
  if (/[.*+?()|[$]/.test(character)) return `[${character}]`;
  if (/[!-~]/.test(character)) return '.';
  // Signs and lines of the basic plane are drawn as they are; an emoji may be more than one.
  const isPlain = character.length === 1 && /[\p{L}\p{N}\p{P}\p{Sm}\p{So}]/u.test(character);
  return isPlain ? character : '[^ ]+';
}
