// A text on the alternate screen of the terminal, redrawn in place. Pure: the caller writes the
// bytes.

import { cutMark, type View } from '../../render/view.ts';
import { cutToWidth } from '../../render/width.ts';

/** The alternate screen, without a cursor and without wrapping. */
export const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l\x1b[?7l';
export const LEAVE_SCREEN = '\x1b[?7h\x1b[?25h\x1b[?1049l';

const HOME = '\x1b[H';
const CLEAR_LINE_END = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** The bytes that replace the screen by this text, cut to its rows, with a note below. */
export function redrawBytes(text: string, note: string, rows: number, view: View): string {
  const lines = text.trimEnd().split('\n');
  const room = Math.max(1, rows - 1);
  const isCut = lines.length > room;
  const shown = isCut ? lines.slice(0, room - 1) : lines;
  const more = isCut ? [`${cutMark(view)} ${lines.length - shown.length} more lines`] : [];
  const all = [...shown, ...more, cutToWidth(note, view.width, '')];
  return HOME + all.map((line) => line + CLEAR_LINE_END).join('\r\n') + CLEAR_BELOW;
}
