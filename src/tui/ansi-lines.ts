// Text with escape sequences, as a pane shows it, into styled lines: colours and a few attributes
// are read, every other sequence and every control is dropped. Pure, never throws. Nothing of the
// text itself reaches the terminal but printable characters and the SGR that styled.ts writes.

import { safeText } from '../render/safe-text.ts';
import { type Line, type Piece, piece, type Style } from './styled.ts';

/** Larger than any terminal that is read; the rest of a hostile screen is not looked at. */
const LINES_MAX = 1_000;
const LINE_LENGTH_MAX = 8_192;
const TAB_CELLS = '        ';

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
const sequence = new RegExp(
  [
    // CSI; control strings up to their end; short sequences and a lone escape.
    `${ESCAPE}\\[([0-9:;<=>?]{0,64})([ -/]{0,4})([@-~])`,
    `${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}]{0,2048}(?:${BELL}|${ESCAPE}\\\\)?`,
    `${ESCAPE}[ -/]{0,4}[0-~]?`,
  ].join('|'),
  'g',
);

/** The lines of a text, each in pieces of one style. A style goes on over the end of a line. */
export function ansiLines(text: readonly string[], unicode: boolean): readonly Line[] {
  let style: Style = {};
  return text.slice(0, LINES_MAX).map((whole) => {
    const raw = whole.slice(0, LINE_LENGTH_MAX);
    const line: Piece[] = [];
    const add = (part: string): void => {
      const shown = safeText(part.replaceAll('\t', TAB_CELLS), unicode);
      if (shown !== '') line.push(piece(shown, style));
    };
    let at = 0;
    for (const found of raw.matchAll(sequence)) {
      add(raw.slice(at, found.index));
      at = found.index + found[0].length;
      if (found[3] === 'm' && found[2] === '') style = applySgr(style, found[1] ?? '');
    }
    add(raw.slice(at));
    return line;
  });
}

function applySgr(before: Style, parameters: string): Style {
  if (!/^[0-9;:]*$/.test(parameters)) return before;
  const codes = parameters.split(';');
  let style = before;
  for (let index = 0; index < codes.length; ) {
    const taken = colourLength(codes, index);
    const words = codes.slice(index, index + Math.max(1, taken));
    style = taken > 0 ? withColour(style, words) : withCode(style, Number(words[0] || 0));
    index += words.length;
  }
  return style;
}

/** How many parameters `38;5;n`, `38;2;r;g;b` or `38:2::r:g:b` take; 0 for any other code. */
function colourLength(codes: readonly string[], index: number): number {
  const code = codes[index] ?? '';
  if (/^[34]8:/.test(code)) return 1;
  if (code !== '38' && code !== '48') return 0;
  return codes[index + 1] === '2' ? 5 : 3;
}

const colours = /^[34]8(?:[;:]5[;:]\d{1,3}|[;:]2[;:]{1,2}\d{1,3}[;:]\d{1,3}[;:]\d{1,3})$/;

function withColour(style: Style, words: readonly string[]): Style {
  const colour = words.join(';');
  if (!colours.test(colour)) return style;
  return colour.startsWith('3')
    ? { ...style, foreground: colour }
    : { ...style, background: colour };
}

const changes: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: '' },
  49: { background: '' },
};

// Blinking and hidden text are left out: a preview is calm, and nothing in it is hidden.
function withCode(style: Style, code: number): Style {
  if (code === 0) return {};
  const change = changes[code];
  if (change) return { ...style, ...change };
  const base = code >= 90 ? code - 60 : code;
  if (base >= 30 && base <= 37) return { ...style, foreground: String(code) };
  if (base >= 40 && base <= 47) return { ...style, background: String(code) };
  return style;
}
