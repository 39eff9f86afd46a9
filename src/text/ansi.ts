// The one parser of text with escape sequences, as tmux capture-pane -e and recordings have it:
// text and its SGR styles. Every other sequence is dropped. Takes time linear in the text, never
// throws. Sanitising of foreign text for print is render/safe-text.ts.

/** SGR attributes. Colours are SGR parameters: `31`, `38;5;200`, `48;2;1;2;3`; '' is no colour. */
export interface TextStyle {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly foreground: string;
  readonly background: string;
}

export const plainStyle: TextStyle = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  foreground: '',
  background: '',
};

export interface StyledText {
  readonly text: string;
  readonly style: TextStyle;
}

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
const sequences = new RegExp(
  [
    // CSI: parameters, intermediate bytes, final byte.
    `${ESCAPE}\\[([0-?]*)([ -/]*)([@-~])`,
    // OSC, DCS, SOS, PM and APC, up to their end or the end of the line.
    `${ESCAPE}[\\]PX^_][^${BELL}${ESCAPE}\\n]*(?:${BELL}|${ESCAPE}\\\\)?`,
    // Short sequences, and an escape alone.
    `${ESCAPE}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** The text without its escape sequences. */
export const stripSequences = (text: string): string => text.replace(sequences, '');

const sequencesAndControls = new RegExp(`${sequences.source}|\\p{Cc}`, 'gu');

/** The text without controls and without escape sequences other than SGR. */
export const keepStyles = (text: string): string =>
  text.replace(sequencesAndControls, (all, ...groups) =>
    sgrParameters(groups) === null ? '' : all,
  );

/** Splits a line into texts of one style. `style` is the one at its end, for the next line. */
export function readAnsiLine(
  line: string,
  before: TextStyle,
): { readonly texts: readonly StyledText[]; readonly style: TextStyle } {
  const texts: StyledText[] = [];
  let style = before;
  let at = 0;
  const add = (end: number): void => {
    if (end > at) texts.push({ text: line.slice(at, end), style });
  };
  for (const found of line.matchAll(sequences)) {
    add(found.index);
    at = found.index + found[0].length;
    const parameters = sgrParameters(found.slice(1));
    if (parameters !== null) style = applySgr(style, parameters);
  }
  add(line.length);
  return { texts, style };
}

/** The parameters of a matched sequence when it is SGR, else null. */
function sgrParameters([parameters, intermediate, final]: readonly unknown[]): string | null {
  const isSgr = final === 'm' && intermediate === '';
  return isSgr && /^[0-9;:]*$/.test(String(parameters)) ? String(parameters) : null;
}

function applySgr(before: TextStyle, parameters: string): TextStyle {
  const codes = parameters.split(';');
  let style = before;
  for (let index = 0; index < codes.length; ) {
    const length = colourLength(codes, index);
    style =
      length > 0
        ? withColour(style, codes.slice(index, index + length).join(';'))
        : withCode(style, codes[index] ?? '');
    index += Math.max(1, length);
  }
  return style;
}

/** How many parameters `38;5;n`, `38;2;r;g;b` or `38:2::r:g:b` take; 0 for any other code. */
function colourLength(codes: readonly string[], index: number): number {
  const code = codes[index] ?? '';
  if (/^[345]8:/.test(code)) return 1;
  // 58 is the colour of the underline: its parameters are skipped.
  if (!['38', '48', '58'].includes(code)) return 0;
  return codes[index + 1] === '2' ? 5 : 3;
}

const colours = /^[34]8(?:[;:]5[;:]\d{1,3}|[;:]2[;:]{1,2}\d{1,3}[;:]\d{1,3}[;:]\d{1,3})$/;

function withColour(style: TextStyle, colour: string): TextStyle {
  if (!colours.test(colour)) return style;
  return colour.startsWith('3')
    ? { ...style, foreground: colour }
    : { ...style, background: colour };
}

const changes: Readonly<Record<number, Partial<TextStyle>>> = {
  0: plainStyle,
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

function withCode(style: TextStyle, word: string): TextStyle {
  // `4:3` is a curly underline, `4:0` is none.
  const code = word === '4:0' ? 24 : Number.parseInt(word || '0', 10);
  const change = changes[code];
  if (change !== undefined) return { ...style, ...change };
  const base = code >= 90 ? code - 60 : code;
  if (base >= 30 && base <= 37) return { ...style, foreground: String(code) };
  if (base >= 40 && base <= 47) return { ...style, background: String(code) };
  return style;
}
