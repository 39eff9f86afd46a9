// Puts words of a person into recorded screens: a draft into the input box, a paste into a prompt
// that was sent, a quote into an answer. The rows have the columns that the agent gives such text.

import type { ScreenRules } from '../../src/agents/screen/rules.ts';
import { isInputEmpty } from '../../src/agents/screen/rules.ts';
import { type ScreenInput, viewScreen } from '../../src/agents/screen/screen-view.ts';

type Lines = readonly string[];
/** Makes the rows of a screen that holds the words. */
export type Put = (words: Lines) => Lines;

/** A row of the box: its left edge, its prompt sign, and the blank after it. */
const BOX_START = /^(\s*(?:[│┃]\s?)?\s*[❯>›!*]?)/u;
const FRAME = /│\s*$/u;
const SIGNS = /[❯>›!*]/u;

/** How to draft in the input box of a screen; null where none is drawn. */
export function draftIn(rules: ScreenRules, input: ScreenInput): Put | null {
  if (isInputEmpty(rules, viewScreen(input)) === null) return null;
  const isEmptyWith = (row: number, line: string) =>
    isInputEmpty(rules, viewScreen({ ...input, lines: input.lines.with(row, line) }));
  for (let row = input.lines.length - 1; row >= 0; row -= 1) {
    const start = boxStart(input.lines[row] ?? '');
    if (isEmptyWith(row, `${start}some draft`) !== false) continue;
    if (isEmptyWith(row, start.trimEnd()) !== false) return putDraft(input, row, start);
  }
  return null;
}

function boxStart(line: string): string {
  const bar = line.indexOf('┃');
  if (bar >= 0) return `${line.slice(0, bar + 1)}  `;
  const start = BOX_START.exec(line)?.[1] ?? '';
  if (SIGNS.test(start)) return `${start} `;
  const frame = /^\s*│ /u.exec(line)?.[0];
  return frame ?? start;
}

/** Agents let the box grow to half of the screen at most. */
function putDraft({ lines, cols, rows }: ScreenInput, row: number, start: string): Put {
  const roomMax = Math.max(3, Math.floor(rows / 2) - 4);
  const isFramed = FRAME.test(lines[row] ?? '');
  const framed = (line: string) =>
    isFramed ? `${line.slice(0, cols - 2).padEnd(cols - 2)} │` : line.slice(0, cols);
  return (words) => {
    const [first = '', ...rest] = words;
    const next = start.replace(SIGNS, ' ');
    const box = [start + first, ...rest.slice(1 - roomMax).map((each) => next + each)];
    return [...lines.slice(0, row), ...box.map(framed), ...lines.slice(row + 1)];
  };
}

export interface TextStyle {
  /** The start of the first row of an answer, or of a prompt that was sent. */
  readonly start: RegExp;
  /** The start of its other rows; blanks as wide as the first where it is left out. */
  readonly next?: string;
}

/** How to add rows to the last text of a kind on a screen; null where there is none. */
export function addTo({ start, next }: TextStyle, lines: Lines, isBoxLast: boolean): Put | null {
  const starts = lines.flatMap((line, index) => (start.test(line) ? [index] : []));
  const at = starts.at(isBoxLast ? -2 : -1);
  if (at === undefined) return null;
  const width = start.exec(lines[at] ?? '')?.[0].replace('\ufe0e', '').length ?? 0;
  const indent = next ?? ' '.repeat(width);
  let end = at + 1;
  while ((lines[end] ?? '').trim() !== '' && lines[end]?.startsWith(indent)) end += 1;
  return (words) => [
    ...lines.slice(0, end),
    ...words.map((each) => indent + each),
    ...lines.slice(end),
  ];
}
