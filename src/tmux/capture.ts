// One capture of one pane: its facts and its screen, taken in one step so that they fit together.
// Which panes are captured, and when, is left to sources/.

import { stripSequences } from '../text/ansi.ts';
import { decodeUtf8 } from '../tmux-wire/bytes.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';

export interface CapturedScreen {
  /** The visible lines without escape sequences, from the top. */
  readonly lines: readonly string[];
  /** The same lines joined by newlines, with their escape sequences where it is styled. */
  readonly ansi: string;
  readonly isStyled: boolean;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly x: number; readonly y: number; readonly isVisible?: boolean };
  readonly alternateOn: boolean;
  readonly inMode: boolean;
  readonly panePid: number;
  readonly title: string;
}

// The title is foreign text and comes last: what is after the eighth blank is all its own.
const FORMAT =
  '#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} ' +
  '#{pane_in_mode} #{pane_pid} #{pane_title}';
const facts = /^(\d+) (\d+) (\d+) (\d+) ([01]?) ([01]?) (\d*) (\d+) (.*)$/s;

// Shift in and out, by which a line switches to the line-drawing set and back.
const shifts = new RegExp(`[${String.fromCharCode(0x0e)}${String.fromCharCode(0x0f)}]`, 'g');

/**
 * Commands for one `run`, so nothing happens between them. Styles cost several times more. With
 * `historyCount` so many lines that have scrolled off come first.
 */
export function captureCommands(paneId: string, isStyled = true, historyCount = 0): string[][] {
  const styles = isStyled ? ['-e'] : [];
  const history = historyCount > 0 ? ['-S', `-${historyCount}`] : [];
  return [
    ['display-message', '-p', '-t', paneId, FORMAT],
    ['capture-pane', '-p', ...styles, ...history, '-t', paneId],
  ];
}

/** Reads the replies to captureCommands; null for a pane that is gone. Never throws. */
export function readCapture(replies: readonly Reply[], isStyled = true): CapturedScreen | null {
  const [about, screen] = replies;
  if (!about?.ok || !screen?.ok) return null;
  // On an unknown pane display-message prints empty fields, which do not match.
  const found = facts.exec(about.lines.join('\n'));
  if (found === null) return null;
  const [cols, rows, x, y] = found.slice(1, 5).map(Number);
  const ansi = decodeUtf8(screen.lines.join('\n'));
  return {
    lines: (isStyled ? stripSequences(ansi).replace(shifts, '') : ansi).split('\n'),
    ansi,
    isStyled,
    cols: cols ?? 0,
    rows: rows ?? 0,
    cursor: { x: x ?? 0, y: y ?? 0, isVisible: found[5] !== '0' },
    alternateOn: found[6] === '1',
    inMode: Number(found[7]) > 0,
    panePid: Number(found[8]),
    title: decodeUtf8(found[9] ?? ''),
  };
}
