// Lines of styled text: spans that each have one style, measured and cut by terminal cells, and
// turned into bytes at the end. Pure. Foreign text must go through safe-text.ts before it becomes a
// span.

import type { Ink, View } from '../../render/view.ts';
import { cutToWidth, textWidth } from '../../render/width.ts';
import type { TextStyle } from '../../text/ansi.ts';

/** The style of a span; absent attributes are off. */
export type SpanStyle = Partial<TextStyle>;

export interface Span {
  readonly text: string;
  readonly style: SpanStyle;
}

export type SpanLine = readonly Span[];

const PLAIN: SpanStyle = {};
export const DIM: SpanStyle = { dim: true };
export const BOLD: SpanStyle = { bold: true };

export const span = (text: string, style: SpanStyle = PLAIN): Span => ({ text, style });

/** Colours of ours, by a name that is no code: light backgrounds need darker ones. */
export const OWN = {
  red: 'own:red',
  green: 'own:green',
  yellow: 'own:yellow',
  blue: 'own:blue',
  magenta: 'own:magenta',
  cyan: 'own:cyan',
} as const;

/** The codes on a dark and on a light background. */
const ownCodes: Readonly<Record<string, readonly [dark: string, light: string]>> = {
  [OWN.red]: ['31', '38;5;124'],
  [OWN.green]: ['32', '38;5;28'],
  [OWN.yellow]: ['33', '38;5;130'],
  [OWN.blue]: ['34', '38;5;25'],
  [OWN.magenta]: ['35', '38;5;90'],
  [OWN.cyan]: ['36', '38;5;30'],
};

const inkStyles: Readonly<Record<Ink, SpanStyle>> = {
  bold: { bold: true },
  dim: { dim: true },
  red: { foreground: OWN.red },
  green: { foreground: OWN.green },
  yellow: { foreground: OWN.yellow },
  blue: { foreground: OWN.blue },
  magenta: { foreground: OWN.magenta },
};

/** The style for a colour of the tables. */
export const inkStyle = (ink: Ink | null | undefined): SpanStyle => (ink ? inkStyles[ink] : PLAIN);

export const lineText = (line: SpanLine): string => line.map(({ text }) => text).join('');

export const lineWidth = (line: SpanLine): number =>
  line.reduce((sum, { text }) => sum + textWidth(text), 0);

/** As much of the line as fits, with a mark where it is cut. */
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

/** The line in pieces that are no wider than `cells`; words are not kept whole. */
export function wrapLine(line: SpanLine, cells: number): readonly SpanLine[] {
  const lines: Span[][] = [[]];
  let left = cells;
  for (const each of line) {
    for (let text = each.text; text !== ''; ) {
      const kept = cutToWidth(text, left, '') || (left === cells ? text : '');
      if (kept !== '') lines.at(-1)?.push({ ...each, text: kept });
      left -= textWidth(kept);
      text = text.slice(kept.length);
      if (text === '') break;
      lines.push([]);
      left = cells;
    }
  }
  return lines;
}

/** The line cut or padded to exactly `cells` cells. */
export function fitLine(line: SpanLine, cells: number, mark: string): SpanLine {
  const cut = cutLine(line, cells, mark);
  const missing = cells - lineWidth(cut);
  return missing > 0 ? [...cut, span(' '.repeat(missing))] : cut;
}

/** A line of a page that is chosen, with a pointer in the place of its first blank. */
export const chosenLine = ({ unicode }: Pick<View, 'unicode'>, line: SpanLine): SpanLine =>
  line.map(({ text }, index) =>
    span(index === 0 ? `${unicode ? '▸' : '>'}${text.slice(1)}` : text, { inverse: true }),
  );

/** The line dim and without colours: its data may be out of date. */
export const dimmed = (line: SpanLine): SpanLine =>
  line.map(({ text }) => span(text, { dim: true }));

const flags = [
  ['bold', '1'],
  ['dim', '2'],
  ['italic', '3'],
  ['underline', '4'],
  ['inverse', '7'],
] as const;

function parametersOf(style: SpanStyle, color: boolean, isLight: boolean): string {
  // Without colours the selection is still shown by inverse.
  if (!color) return style.inverse ? '7' : '';
  const set = flags.filter(([name]) => style[name]).map(([, code]) => code);
  const codes = ownCodes[style.foreground ?? ''];
  const foreground = codes ? codes[isLight ? 1 : 0] : style.foreground;
  return [...set, foreground, style.background].filter((each) => each).join(';');
}

/** The bytes of a line. Without colours only inverse is kept. */
export function lineBytes(line: SpanLine, color: boolean, isLight = false): string {
  return line
    .map(({ text, style }) => {
      const parameters = parametersOf(style, color, isLight);
      return parameters === '' || text === '' ? text : `\x1b[${parameters}m${text}\x1b[0m`;
    })
    .join('');
}
