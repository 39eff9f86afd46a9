// Addresses in the text of a terminal, as links. What an agent prints is not ours: only http and
// https lead anywhere, in a tab that knows nothing of this page.

import type { IBufferLine, ILink, Terminal } from '@xterm/xterm';

const address = /\bhttps?:\/\/[^\s"'<>`{}|\\^[\]\p{Cc}]+/giu;
/** What usually follows an address in a sentence, and is not of it. */
const sentenceEnd = /[),.;:!?*_~]+$/;
const ADDRESS_LENGTH_MAX = 2_000;
/** Rows that one address may run over. */
const ROWS_MAX = 20;

/** Null for what is no address of the web. */
export function webAddress(text: string): string | null {
  if (text.length > ADDRESS_LENGTH_MAX || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

export function openAddress(text: string): void {
  const href = webAddress(text);
  if (href !== null) window.open(href, '_blank', 'noopener,noreferrer');
}

/** Has the terminal show them. */
export function linkAddresses(terminal: Terminal): void {
  terminal.registerLinkProvider({
    provideLinks: (row, callback) => callback(linksIn(terminal, row)),
  });
}

/** Those on a row, which counts from one; a row that goes on in the next is read with it. */
function linksIn(terminal: Terminal, row: number): ILink[] | undefined {
  const { active } = terminal.buffer;
  let first = row - 1;
  while (first > 0 && row - first < ROWS_MAX && active.getLine(first)?.isWrapped) first -= 1;
  const lines: IBufferLine[] = [];
  for (let at = first; lines.length < ROWS_MAX; at += 1) {
    const line = active.getLine(at);
    if (!line || (at > first && !line.isWrapped)) break;
    lines.push(line);
  }
  const { text, cells } = cellsOf(lines);
  const links = [...text.matchAll(address)].flatMap(({ 0: found, index }): ILink[] => {
    const trimmed = found.replace(sentenceEnd, '');
    const [start, end] = [cells[index], cells[index + trimmed.length - 1]];
    if (!start || !end || webAddress(trimmed) === null) return [];
    const at = (cell: Cell) => ({ x: cell.x + 1, y: first + cell.row + 1 });
    const range = { start: at(start), end: at(end) };
    return [{ range, text: trimmed, activate: () => openAddress(trimmed) }];
  });
  return links.length === 0 ? undefined : links;
}

interface Cell {
  readonly x: number;
  readonly row: number;
}

/** The text of rows, and where each of its characters is. */
function cellsOf(lines: readonly IBufferLine[]): {
  readonly text: string;
  readonly cells: readonly Cell[];
} {
  let text = '';
  const cells: Cell[] = [];
  for (const [row, line] of lines.entries()) {
    for (let x = 0; x < line.length; x += 1) {
      const cell = line.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      const characters = cell.getChars() || ' ';
      text += characters;
      for (let unit = 0; unit < characters.length; unit += 1) cells.push({ x, row });
    }
  }
  return { text, cells };
}
