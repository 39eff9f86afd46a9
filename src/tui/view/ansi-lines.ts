// The screen of a pane as lines of the live view: colours and a few attributes are kept, every
// other sequence and every control is dropped. Only printable characters of the text reach the
// terminal, and the SGR that styled.ts writes. Pure.

import { safeText } from '../../render/safe-text.ts';
import { plainStyle, readAnsiLine } from '../../text/ansi.ts';
import { type SpanLine, span } from './spans.ts';

/** Larger than any terminal; the rest of a hostile screen is not read. */
const LINES_MAX = 1_000;
const LINE_LENGTH_MAX = 8_192;
const TAB_CELLS = '        ';

/** The lines of a screen in pieces of one style. A style continues on the next line. */
export function ansiLines(lines: readonly string[], unicode: boolean): readonly SpanLine[] {
  let style = plainStyle;
  return lines.slice(0, LINES_MAX).map((line) => {
    const read = readAnsiLine(line.slice(0, LINE_LENGTH_MAX), style);
    style = read.style;
    return read.texts
      .map((each) => span(safeText(each.text.replaceAll('\t', TAB_CELLS), unicode), each.style))
      .filter(({ text }) => text !== '');
  });
}
