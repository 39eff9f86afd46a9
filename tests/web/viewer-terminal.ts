// A viewer's terminal, and what tmux says of the same pane: both as cells, to be compared.

import { type IBufferCell, Terminal } from '@xterm/headless';

/** One cell: its text and how it looks. Blanks at the end of a row are left out. */
type Cells = readonly (readonly string[])[];

export interface ShownScreen {
  readonly cells: Cells;
  readonly cursor: readonly [x: number, y: number];
  readonly isAlternate: boolean;
}

/** Lets a terminal of that size read the bytes. */
export async function readTerminal(
  bytes: Uint8Array,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): Promise<Terminal> {
  const terminal = new Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  return terminal;
}

/** What the terminal shows. */
export function shownBy(terminal: Terminal): ShownScreen {
  const { active } = terminal.buffer;
  const cells = Array.from({ length: terminal.rows }, (_, y) => {
    const line = active.getLine(active.baseY + y);
    const row = Array.from({ length: terminal.cols }, (_cell, x) => cellText(line?.getCell(x)));
    while (row.at(-1) === ' ') row.pop();
    return row;
  });
  const { cursorX, cursorY } = active;
  return { cells, cursor: [cursorX, cursorY], isAlternate: active.type === 'alternate' };
}

/** The second cell of a wide character is empty. */
function cellText(cell: IBufferCell | undefined): string {
  if (!cell || cell.getWidth() === 0) return '';
  const look = [
    ...[cell.isBold(), cell.isItalic(), cell.isDim(), cell.isUnderline(), cell.isInverse()],
    ...[cell.getFgColorMode(), cell.isFgDefault() ? 0 : cell.getFgColor()],
    ...[cell.getBgColorMode(), cell.isBgDefault() ? 0 : cell.getBgColor()],
  ].map(Number);
  const isPlain = look.every((each) => each === 0);
  return `${cell.getChars() || ' '}${isPlain ? '' : `|${look.join(',')}`}`;
}

/** The lines that have scrolled off, as text. */
export function scrolledOff(terminal: Terminal): readonly string[] {
  const { normal } = terminal.buffer;
  return Array.from(
    { length: normal.baseY },
    (_, y) => normal.getLine(y)?.translateToString(true) ?? '',
  );
}
