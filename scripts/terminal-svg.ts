// Draws terminal screens (as tmux capture-pane -e gives them) as one SVG: a window with text on a
// grid of cells. Several screens become an animation that shows one after the other; where nothing
// moves, the first is seen. Pure.

import { readStyledLines } from '../src/agents/screen/styled-lines.ts';
import { textWidth } from '../src/render/width.ts';
import type { TextStyle } from '../src/text/ansi.ts';
import { colourOf, dark, type Theme } from './terminal-colour.ts';

export interface TerminalPicture {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** Each a screen with its colours, lines parted by line feeds. */
  readonly screens: readonly string[];
  readonly secondsEach: number;
  readonly theme?: Theme;
}

const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 18;
const BASE_LINE = 13;
const PADDING = 14;
const BAR_HEIGHT = 34;
/** As escape sequences name it. */
const BLACK = '30';

interface Run {
  readonly column: number;
  readonly cells: number;
  readonly text: string;
  readonly style: TextStyle;
}

/** The SVG as text. */
export function renderPicture(picture: TerminalPicture): string {
  const { columns, rows, screens, theme = dark } = picture;
  const width = Math.ceil(columns * CELL_WIDTH + 2 * PADDING);
  const height = rows * CELL_HEIGHT + BAR_HEIGHT + PADDING;
  const frames = screens.map((screen, index) => {
    const lines = readStyledLines(screen).slice(0, rows);
    const drawn = lines.flatMap((line, row) =>
      runsOf(line, columns).map((run) => draw(run, row, theme)),
    );
    const visible = drawn.filter((each) => each !== '');
    return `<g class="f" id="f${index}">\n${visible.join('\n')}\n</g>`;
  });
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const frame = `fill="${theme.background}" stroke="${theme.border}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" ${size} role="img">
<title>${escaped(picture.title)}</title>
<style>${styleSheet(theme, screens.length, picture.secondsEach)}</style>
<rect width="${width}" height="${height}" rx="8" ${frame}/>
${['#ff5f57', '#febc2e', '#28c840'].map(dot).join('\n')}
<text x="${width / 2}" y="22" text-anchor="middle" class="d">${escaped(picture.title)}</text>
<g transform="translate(${PADDING} ${BAR_HEIGHT})">
${frames.join('\n')}
</g>
</svg>
`;
}

const dot = (colour: string, index: number): string =>
  `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${colour}"/>`;

/** Each frame is seen for its part of the round; a reader who wants no motion sees the first. */
function styleSheet({ foreground }: Theme, count: number, secondsEach: number): string {
  const font =
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;' +
    `white-space:pre;fill:${foreground}}.b{font-weight:700}.d{opacity:.6}` +
    '.u{text-decoration:underline}' +
    // Two boxes side by side must not show a seam.
    'rect{shape-rendering:crispEdges}';
  if (count < 2) return font;
  const seconds = count * secondsEach;
  const part = (100 / count).toFixed(3);
  const delays = Array.from({ length: count }, (_, index) => {
    const delay = index * secondsEach - seconds;
    return `#f${index}{animation-delay:${delay}s}`;
  });
  return [
    font,
    '.f{visibility:hidden}#f0{visibility:visible}',
    `@keyframes f{0%{visibility:visible}${part}%,100%{visibility:hidden}}`,
    '@media (prefers-reduced-motion:no-preference){',
    `.f{animation:f ${seconds}s step-end infinite}${delays.join('')}}`,
  ].join('');
}

/** A line as pieces of one style and one kind of character, each with its place on the grid. */
function runsOf(
  line: { readonly text: string; readonly styles: readonly TextStyle[] },
  columns: number,
): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  let unit = 0;
  for (const text of line.text) {
    const style = line.styles[unit] as TextStyle;
    unit += text.length;
    const cells = textWidth(text);
    if (column + cells > columns) break;
    const last = runs.at(-1);
    if (last !== undefined && joins(last, { column, cells, text, style })) {
      runs[runs.length - 1] = { ...last, cells: last.cells + cells, text: last.text + text };
    } else if (cells > 0) runs.push({ column, cells, text, style });
    column += cells;
  }
  return runs;
}

/** Letters of a font's own width go together; any other character is put into its cell alone. */
const kinds: readonly RegExp[] = [/^[\x20-\x7e]+$/, /^[\u2500-\u257f]+$/, /^[\u2580-\u259f]+$/];

function joins(last: Run, next: Run): boolean {
  if (next.cells === 0) return true;
  if (last.style !== next.style && !isSameStyle(last.style, next.style)) return false;
  return kinds.some((kind) => kind.test(last.text) && kind.test(next.text));
}

const isSameStyle = (a: TextStyle, b: TextStyle): boolean =>
  (Object.keys(a) as (keyof TextStyle)[]).every((key) => a[key] === b[key]);

function draw({ column, cells, text, style }: Run, row: number, theme: Theme): string {
  const own = {
    front: colourOf(style.foreground, theme),
    back: colourOf(style.background, theme),
  };
  const back = style.inverse ? (own.front ?? theme.foreground) : own.back;
  // The palette's black is for a dark background; on another it is as dark as can be.
  const isBlack = style.foreground === BLACK && back !== null;
  const front = style.inverse
    ? (own.back ?? theme.background)
    : isBlack
      ? dark.background
      : own.front;
  const x = rounded(column * CELL_WIDTH);
  const width = rounded(cells * CELL_WIDTH);
  const box =
    back === null
      ? ''
      : `<rect x="${x}" y="${row * CELL_HEIGHT}" width="${width}" ` +
        `height="${CELL_HEIGHT}" fill="${back}"/>`;
  const visible = text.trim();
  if (visible === '') return box;
  const classes = [style.bold && 'b', style.dim && 'd', style.underline && 'u'].filter(Boolean);
  const look = [
    ...(classes.length > 0 ? [` class="${classes.join(' ')}"`] : []),
    // A property wins over the style sheet, an attribute does not.
    ...(front === null ? [] : [` style="fill:${front}"`]),
  ].join('');
  const y = row * CELL_HEIGHT + BASE_LINE;
  const textX = rounded((column + text.indexOf(visible)) * CELL_WIDTH);
  // However wide a reader's font is, what follows stands in its own cell.
  const length = rounded(textWidth(visible) * CELL_WIDTH);
  const attributes = `x="${textX}" y="${y}" textLength="${length}"${look}`;
  return `${box}<text ${attributes}>${escaped(visible)}</text>`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Text that is no markup; characters that XML does not have are left out. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not have.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
