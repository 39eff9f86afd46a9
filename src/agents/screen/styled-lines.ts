// A capture (tmux capture-pane -e) as characters that each have a style: rules ask whether a label
// is dim, bold, inverse or underlined, and whether its colours differ from those beside it.

import { plainStyle, readAnsiLine, type TextStyle } from '../../text/ansi.ts';

export interface StyledLine {
  readonly text: string;
  /** One style for each UTF-16 unit of `text`. */
  readonly styles: readonly TextStyle[];
}

/** A screen is smaller; the rest of a hostile capture is not read. */
const INPUT_LENGTH_MAX = 400_000;

/** The lines of a capture, each character with its style. Styles continue on the next line. */
export function readStyledLines(ansi: string): readonly StyledLine[] {
  let style = plainStyle;
  return ansi
    .slice(0, INPUT_LENGTH_MAX)
    .split('\n')
    .map((raw) => {
      const line = { text: '', styles: [] as TextStyle[] };
      const read = readAnsiLine(raw, style);
      for (const each of read.texts) append(line, each.text, each.style);
      style = read.style;
      return line;
    });
}

function append(line: { text: string; styles: TextStyle[] }, text: string, style: TextStyle): void {
  for (const unit of text.split('')) {
    if (unit < ' ') continue;
    line.text += unit === '\u00a0' ? ' ' : unit;
    line.styles.push(style);
  }
}

export const plainLines = (ansi: string): readonly string[] =>
  readStyledLines(ansi).map((line) => line.text);
