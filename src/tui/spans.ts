// Lines of styled text: pieces that each have one style, measured and cut by terminal cells, and
// turned into bytes at the very end. Pure. Text in a piece is safe: whoever makes a piece of
// foreign text has sent it through safe-text.ts first.

import type { Ink } from '../render/view.ts';
import { cutToWidth, textWidth } from '../render/width.ts';
import type { TextStyle } from '../text/ansi.ts';

/** What a piece looks like; what is absent is as usual. */
export type SpanStyle = Partial<TextStyle>;

export interface Span {
  readonly text: string;
  readonly style: SpanStyle;
}

export type SpanLine = readonly Span[];

const PLAIN: SpanStyle = {};

export const span = (text: string, style: SpanStyle = PLAIN): Span => ({ text, style });

const inkStyles: Readonly<Record<Ink, SpanStyle>> = {
  bold: { bold: true },
  dim: { dim: true },
  red: { foreground: '31' },
  green: { foreground: '32' },
  yellow: { foreground: '33' },
  blue: { foreground: '34' },
  magenta: { foreground: '35' },
};

/** The style of an ink of the tables. */
export const inkStyle = (ink: Ink | null | undefined): SpanStyle => (ink ? inkStyles[ink] : PLAIN);

export const lineText = (line: SpanLine): string => line.map(({ text }) => text).join('');

export const lineWidth = (line: SpanLine): number =>
  line.reduce((sum, { text }) => sum + textWidth(text), 0);

/** As much of the line as fits; a mark stands at the end of what was cut. */
export function cutLine(line: SpanLine, cells: number, mark: string): SpanLine {
  if (lineWidth(line) <= cells) return line;
  const markCells = textWidth(mark);
  if (cells <= markCells) return cells <= 0 ? [] : [span(cutToWidth(mark, cells, ''))];
  const kept: Span[] = [];
  let left = cells - markCells;
  for (const each of line) {
    const text = cutToWidth(each.text, left, '');
    if (text !== '') kept.push({ ...each, text });
    left -= textWidth(text);
    if (text.length < each.text.length) break;
  }
  return [...kept, span(mark, kept.at(-1)?.style)];
}

/** The line in exactly so many cells. */
export function fitLine(line: SpanLine, cells: number, mark: string): SpanLine {
  const cut = cutLine(line, cells, mark);
  const missing = cells - lineWidth(cut);
  return missing > 0 ? [...cut, span(' '.repeat(missing))] : cut;
}

/** Every piece with more style. */
export const restyle = (line: SpanLine, style: SpanStyle): SpanLine =>
  line.map((each) => ({ ...each, style: { ...each.style, ...style } }));

/** Every piece without colours, dim: what is shown is no longer known to be so. */
export const dimmed = (line: SpanLine): SpanLine =>
  line.map(({ text }) => span(text, { dim: true }));

const flags = [
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['inverse', '7'],
] as const;

function parametersOf(style: SpanStyle, color: boolean): string {
  // Inverse is no colour: without it nobody would see what is selected.
  if (!color) return style.inverse ? '7' : '';
  const set = flags.filter(([name]) => style[name]).map(([, code]) => code);
  return [...set, style.foreground, style.background].filter((each) => each).join(';');
}

/** The bytes of a line. Without colours, of all styles only inverse is left. */
export function lineBytes(line: SpanLine, color: boolean): string {
  return line
    .map(({ text, style }) => {
      const parameters = parametersOf(style, color);
      return parameters === '' || text === '' ? text : `\x1b[${parameters}m${text}\x1b[0m`;
    })
    .join('');
}
