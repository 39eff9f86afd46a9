// A screen without its secrets, for people who were only sent a link. Rows that tmux has wrapped
// are read as one, because a secret may go over the edge. What it hides is what the store hides: no
// list of patterns is complete. Pure.

import { redactText } from '../../core/redact.ts';
import { keepStyles, stripSequences } from '../../text/ansi.ts';

/** As large as terminals are; of more, the rows at the bottom are kept. */
const ROWS_MAX = 500;
const ROW_LENGTH_MAX = 8_192;
const RESET = '\u001b[0m';
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for colours.
const colours = /\u001b\[[0-9;:]*m/g;

/** Each row with its colours; one in which something was hidden has none. */
export function sharedRows({ ansi, cols }: { readonly ansi: string; readonly cols: number }) {
  const rows = ansi
    .trimEnd()
    .split('\n')
    .slice(-ROWS_MAX)
    .map((row) => keepStyles(row.slice(0, ROW_LENGTH_MAX)));
  const lines = wrappedLines(rows, cols);
  const plain = lines.map(({ text }) => text);
  const whole = plain.join('\n');
  const clean = redactText(whole, whole.length * 2).split('\n');
  // A block of many lines was hidden: then they cannot be told apart, and nothing has colours.
  if (clean.length !== plain.length) return clean.flatMap((line) => pieces(line, cols));
  return lines.flatMap(({ own, text }, at) => {
    const shown = clean[at] ?? '';
    return shown === text ? own : hiddenRows(own, shown, cols);
  });
}

interface WrappedLine {
  readonly own: readonly string[];
  readonly text: string;
}

function wrappedLines(rows: readonly string[], cols: number): readonly WrappedLine[] {
  const lines: { own: string[]; text: string }[] = [];
  let goesOn = false;
  for (const row of rows) {
    const text = stripSequences(row);
    const last = lines.at(-1);
    if (goesOn && last) {
      last.own.push(row);
      last.text += text;
    } else lines.push({ own: [row], text });
    goesOn = widthOf(text) >= cols;
  }
  return lines;
}

/** At least as wide as it is: a row that is taken for full only hides more. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + (character > '\u02ff' ? 2 : 1), 0);

/** In as many rows as before, and the rows below keep their colours. */
function hiddenRows(own: readonly string[], shown: string, cols: number): readonly string[] {
  const parts = pieces(shown, cols);
  return own.map((row, at) => {
    const isLast = at === own.length - 1;
    const text = isLast ? parts.slice(at).join('') : (parts[at] ?? '');
    return `${RESET}${text}${(row.match(colours) ?? []).join('')}`;
  });
}

function pieces(line: string, cols: number): readonly string[] {
  const characters = [...line];
  const count = Math.max(1, Math.ceil(characters.length / Math.max(1, cols)));
  return Array.from({ length: count }, (_, at) =>
    characters.slice(at * cols, (at + 1) * cols).join(''),
  );
}
