// What an agent asks, whole: every line of the command or question with its blanks, and the options
// with their numbers. Nothing is left out, because a person answers what they read here. Pure.

import { sanitise, type View } from '../../render/view.ts';
import { cutToWidth } from '../../render/width.ts';
import type { PaneRequest } from '../model.ts';
import { OWN, type SpanLine, type SpanStyle, span } from './spans.ts';

const BOLD: SpanStyle = { bold: true };
const ASKING: SpanStyle = { foreground: OWN.yellow };
const TAB = '  ';
/** `32. `: more options no source reads. */
const NUMBER_CELLS = 4;

/** A text in lines of some cells; its own lines and its blanks stay. */
export function wholeLines(view: View, text: string, cells: number): readonly string[] {
  const room = Math.max(1, cells);
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .flatMap((line) => piecesOf(sanitise(view, line.replaceAll('\t', TAB)).trimEnd(), room));
}

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
export function questionLines(view: View, { detail }: PaneRequest): readonly SpanLine[] {
  const lines = (text: string | undefined, style: SpanStyle, indent: string) =>
    text === undefined || text.trim() === ''
      ? []
      : wholeLines(view, text.trimEnd(), view.width - indent.length - 1).map(
          (line): SpanLine => [span(indent), span(line, style)],
        );
  const parts = [
    lines(detail?.tool, BOLD, ' '),
    lines(detail?.command, ASKING, '   '),
    lines(detail?.file, ASKING, '   '),
    lines(detail?.text, {}, ' '),
  ];
  const all = parts.flat();
  if (all.length > 0) return all;
  return [[span(' What it asks is on its screen only.', { dim: true })]];
}

/** The options as they are numbered; empty where they are not known. */
export function optionLines(view: View, { detail }: PaneRequest): readonly SpanLine[] {
  return (detail?.options ?? []).flatMap(({ label }, index) => {
    const [first = '', ...rest] = wholeLines(view, label, view.width - NUMBER_CELLS - 2);
    const number = `${index + 1}.`.padEnd(NUMBER_CELLS);
    const indent = ' '.repeat(NUMBER_CELLS + 1);
    return [
      [span(` ${number}`, BOLD), span(first)],
      ...rest.map((line): SpanLine => [span(indent), span(line)]),
    ];
  });
}
