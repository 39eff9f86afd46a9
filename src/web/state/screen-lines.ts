// The screen of a pane as pieces of one style each, for a page. Only text and colours are left of
// what the program printed. Pure.

import { plainStyle, readAnsiLine, type TextStyle } from '../../text/ansi.ts';

/** Larger than any terminal; the rest of a hostile screen is not read. */
const LINES_MAX = 2_000;
const LINE_LENGTH_MAX = 4_096;

export interface ScreenPiece {
  readonly text: string;
  /** CSS of ours alone: no text of the screen is in it. */
  readonly css: string;
}

export function screenLines(lines: readonly string[]): readonly (readonly ScreenPiece[])[] {
  let style = plainStyle;
  return lines.slice(-LINES_MAX).map((line) => {
    const read = readAnsiLine(line.slice(0, LINE_LENGTH_MAX), style);
    style = read.style;
    return read.texts.map(({ text, style: own }) => ({ text, css: cssOf(own) }));
  });
}

function cssOf(style: TextStyle): string {
  const front = colourOf(style.foreground, style.bold);
  const back = colourOf(style.background, false);
  const [text, ground] = style.inverse
    ? [back ?? 'var(--screen-back)', front ?? 'var(--screen-text)']
    : [front, back];
  return [
    text === null ? '' : `color:${text}`,
    ground === null ? '' : `background:${ground}`,
    style.bold ? 'font-weight:600' : '',
    style.dim ? 'opacity:.65' : '',
    style.italic ? 'font-style:italic' : '',
    style.underline ? 'text-decoration:underline' : '',
  ]
    .filter((each) => each !== '')
    .join(';');
}

/** A colour of SGR as CSS; null for the terminal's own. */
function colourOf(sgr: string, isBold: boolean): string | null {
  if (sgr === '') return null;
  const numbers = sgr.split(/[;:]+/).map(Number);
  const [kind = 0, mode, ...values] = numbers;
  if (kind === 38 || kind === 48) {
    if (mode === 5) return indexed(values[0] ?? 0);
    const [red = 0, green = 0, blue = 0] = values.slice(-3);
    return `rgb(${byte(red)} ${byte(green)} ${byte(blue)})`;
  }
  const index = kind >= 90 ? (kind % 10) + 8 : kind % 10;
  return indexed(isBold && index < 8 ? index + 8 : index);
}

const byte = (value: number): number => Math.min(255, Math.max(0, Math.trunc(value) || 0));

function indexed(value: number): string {
  const index = byte(value);
  if (index < 16) return `var(--ansi-${index})`;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return `rgb(${level(red)} ${level(green)} ${level(blue)})`;
}
