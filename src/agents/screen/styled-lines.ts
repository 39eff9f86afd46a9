// Text with escape sequences (tmux capture-pane -e) into characters with a style. Only what rules
// ask about is kept: dim, bold, inverse, underline, and the colours, to tell one label from its
// neighbours.

export interface CellStyle {
  readonly dim: boolean;
  readonly bold: boolean;
  readonly inverse: boolean;
  readonly underline: boolean;
  readonly foreground: string;
  readonly background: string;
}

export interface StyledLine {
  readonly text: string;
  /** One style for each UTF-16 unit of `text`. */
  readonly styles: readonly CellStyle[];
}

const PLAIN: CellStyle = {
  dim: false,
  bold: false,
  inverse: false,
  underline: false,
  foreground: '',
  background: '',
};

/** More is no screen; the rest of a hostile capture is not read. */
const INPUT_LENGTH_MAX = 400_000;

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
// CSI (parameters, final byte); OSC up to BEL or ST; other short sequences.
const SEQUENCE = new RegExp(
  [
    `${ESCAPE}\\[([0-9:;<=>?]{0,64})[ -/]{0,4}([@-~])`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}]{0,2048}(?:${BELL}|${ESCAPE}\\\\)`,
    `${ESCAPE}[ -/]{0,4}[0-~]`,
    ESCAPE,
  ].join('|'),
  'g',
);

/** The lines of a capture, each character with its style. Styles carry over line ends. */
export function readStyledLines(ansi: string): readonly StyledLine[] {
  let style = PLAIN;
  return ansi
    .slice(0, INPUT_LENGTH_MAX)
    .split('\n')
    .map((raw) => {
      const line = { text: '', styles: [] as CellStyle[] };
      let at = 0;
      for (const found of raw.matchAll(SEQUENCE)) {
        append(line, raw.slice(at, found.index), style);
        at = found.index + found[0].length;
        if (found[2] === 'm') style = applySgr(style, found[1] ?? '');
      }
      append(line, raw.slice(at), style);
      return line;
    });
}

function append(line: { text: string; styles: CellStyle[] }, text: string, style: CellStyle): void {
  for (const unit of text.split('')) {
    if (unit < ' ') continue;
    line.text += unit === '\u00a0' ? ' ' : unit;
    line.styles.push(style);
  }
}

/** The plain text of a capture, line by line. */
export const plainLines = (ansi: string): readonly string[] =>
  readStyledLines(ansi).map((line) => line.text);

function applySgr(style: CellStyle, parameters: string): CellStyle {
  const codes = parameters === '' ? ['0'] : parameters.split(';');
  let next = style;
  let index = 0;
  while (index < codes.length) {
    const length = colourLength(codes, index);
    const code = Number.parseInt(codes[index] ?? '', 10);
    next =
      length > 0 ? withColour(next, code, codes.slice(index, index + length)) : apply(next, code);
    index += Math.max(1, length);
  }
  return next;
}

/** How many parameters `38;5;n`, `38;2;r;g;b` or `38:2::r:g:b` take; 0 for any other code. */
function colourLength(codes: readonly string[], index: number): number {
  const code = codes[index] ?? '';
  if (/^[34]8:/.test(code)) return 1;
  if (code !== '38' && code !== '48') return 0;
  return codes[index + 1] === '2' ? 5 : 3;
}

function withColour(style: CellStyle, code: number, words: readonly string[]): CellStyle {
  const colour = words.join(';').slice(2);
  return code === 38 ? { ...style, foreground: colour } : { ...style, background: colour };
}

const CODES: Readonly<Record<number, Partial<CellStyle>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: '' },
  49: { background: '' },
};

function apply(style: CellStyle, code: number): CellStyle {
  const change = CODES[Number.isNaN(code) ? 0 : code];
  if (change !== undefined) return { ...style, ...change };
  const hundreds = code >= 90 ? code - 60 : code;
  if (hundreds >= 30 && hundreds <= 37) return { ...style, foreground: String(code) };
  if (hundreds >= 40 && hundreds <= 47) return { ...style, background: String(code) };
  return style;
}
