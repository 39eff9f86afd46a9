// What an agent asks, whole: a command with its own lines and blanks, a question in words, and the
// options with their numbers. Nothing is left out: a person answers what they read here. Pure.

import { unreadText } from '../../render/pane-notes.ts';
import { sanitise, type View } from '../../render/view.ts';
import { cutToWidth, wrapText } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { PaneRequest } from '../model.ts';
import { BOLD, OWN, type SpanLine, type SpanStyle, span } from './spans.ts';

const ASKING: SpanStyle = { foreground: OWN.yellow };
const TAB = '  ';
/** `32. `: more options no source reads. */
const NUMBER_CELLS = 4;

/** The text of others in its own lines, each safe to print. */
const linesOf = (view: View, text: string): readonly string[] =>
  text
    .trimEnd()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => sanitise(view, line.replaceAll('\t', TAB)).trimEnd());

/** Code: its blanks stay, and a long line goes on in the next one. */
const codeLines = (view: View, text: string, cells: number): readonly string[] =>
  linesOf(view, text).flatMap((line) => piecesOf(line, Math.max(1, cells)));

/** Prose: broken between words. */
const proseLines = (view: View, text: string, cells: number): readonly string[] =>
  linesOf(view, text).flatMap((line) => {
    const lines = wrapText(line, Math.max(1, cells));
    return lines.length === 0 ? [''] : lines;
  });

function piecesOf(line: string, cells: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  do {
    const piece = cutToWidth(rest, cells, '') || [...rest].slice(0, 1).join('');
    pieces.push(piece);
    rest = rest.slice(piece.length);
  } while (rest !== '');
  return pieces;
}

/** What is asked: the tool, then the command or the file, then the words. */
export function questionLines(
  view: View,
  { kind, detail }: PaneRequest,
  pane: PaneItem,
): readonly SpanLine[] {
  const part = (
    text: string | undefined,
    style: SpanStyle,
    indent: string,
  ): readonly SpanLine[] => {
    if (text === undefined || text.trim() === '') return [];
    const lines = style === ASKING ? codeLines : proseLines;
    return lines(view, text, view.width - indent.length - 1).map((line) => [
      span(indent),
      span(line, style),
    ]);
  };
  const all = [
    ...part(detail?.tool, BOLD, ' '),
    ...part(detail?.command, ASKING, '   '),
    ...part(detail?.file, ASKING, '   '),
    ...part(detail?.text, {}, ' '),
  ];
  return all.length > 0 ? all : part(unreadText(kind, pane), {}, ' ');
}

/** The options as they are numbered; empty where they are not known. */
export function optionLines(view: View, { detail }: PaneRequest): readonly SpanLine[] {
  return (detail?.options ?? []).flatMap(({ label, checked }, index) => {
    const mark = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
    const [first = '', ...rest] = proseLines(view, mark + label, view.width - NUMBER_CELLS - 2);
    const number = `${index + 1}.`.padEnd(NUMBER_CELLS);
    const indent = ' '.repeat(NUMBER_CELLS + 1);
    return [
      [span(` ${number}`, BOLD), span(first)],
      ...rest.map((line): SpanLine => [span(indent), span(line)]),
    ];
  });
}
