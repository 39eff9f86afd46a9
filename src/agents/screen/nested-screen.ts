// The screen of a pane that runs another terminal (nested tmux, tmux behind ssh): the inner status
// line is cut off, because rules look at the live bottom, and the inner title is read from it.

import type { ScreenInput } from './screen-view.ts';

/** A status line has at most five rows. */
const STATUS_ROWS_MAX = 5;

/** The current window of a list of windows: `0:bash*`, `2 vim *Z`. Every tmux marks it. */
const currentWindow = /(?:^|[\s[\]|│])\d{1,3}:\S{1,60}\*[A-Z!#~-]{0,4}(?:\s|$)/u;

/** As tmux writes title and time at the right end unless it is told otherwise. */
const titleAndTime = /"([^"]{0,60})" \d{1,2}:\d{2}(?::\d{2})? \d{1,2}-\S{2,6}-\d{2}$/u;

/** The screen without the status line of an inner terminal, with the title that it shows. */
export function insideScreen(input: ScreenInput): ScreenInput {
  const last = input.lines.findLastIndex((line) => line.trim() !== '');
  const isStatus = (index: number): boolean => currentWindow.test(input.lines[index] ?? '');
  const row = [last, 0].find((index) => index >= 0 && isStatus(index));
  // It is the last row or the first one of the pane: the same elsewhere is text.
  if (row === undefined || (row !== 0 && row < input.rows - STATUS_ROWS_MAX)) return input;
  const lines = input.lines.map((line, index) => (row === index ? '' : line));
  const title = titleAndTime.exec((input.lines[row] ?? '').trimEnd())?.[1];
  const ansi = input.ansi?.split('\n').map((line, index) => (row === index ? '' : line));
  return {
    ...input,
    lines,
    ...(ansi && { ansi: ansi.join('\n') }),
    ...(title !== undefined && { title }),
  };
}
