// The width of text in terminal cells, and cutting and wrapping by cells. Pure. Expects output of
// safe-text.ts: no controls, joiners or variation selectors.

const ascii = /^[\x20-\x7e]*$/;

// Unicode's East Asian Width W and F by blocks. Emoji are recognised by their property, so that new
// ones need no change here.
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

const FIRST_WIDE = 0x1100;
// Half a flag: two of them are drawn as one flag of two cells.
const isFlagHalf = (code: number): boolean => code >= 0x1f1e6 && code <= 0x1f1ff;

function cellsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  // Combining marks, and the later parts of a Hangul syllable.
  if (/^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]$/u.test(character)) return 0;
  if (code < FIRST_WIDE) return 1;
  if (wideRanges.some(([first, last]) => code >= first && code <= last)) return 2;
  return /^\p{Emoji_Presentation}$/u.test(character) && !isFlagHalf(code) ? 2 : 1;
}

/** Terminal cells of a text. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += cellsOf(character);
  return cells;
}

/** The text, or as much of it as fits in `cells` together with the mark at its end. */
export function cutToWidth(text: string, cells: number, mark: string): string {
  if (textWidth(text) <= cells) return text;
  const markCells = textWidth(mark);
  if (cells < markCells) return mark.slice(0, Math.max(0, cells));
  let kept = '';
  let left = cells - markCells;
  for (const character of text) {
    left -= cellsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept + mark;
}

/** The text padded with spaces to a number of cells. */
export const padToWidth = (text: string, cells: number): string =>
  text + ' '.repeat(Math.max(0, cells - textWidth(text)));

/** Lines of at most `cells` cells, broken between words where possible. */
export function wrapText(text: string, cells: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer) <= cells) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (textWidth(line) > cells && line !== '') {
      const head = cutToWidth(line, Math.max(1, cells), '') || [...line][0] || line;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === '' ? lines : [...lines, line];
}
