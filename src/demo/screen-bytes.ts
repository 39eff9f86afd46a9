// The bytes that draw a recorded screen, with title and cursor. Pure.

import recorded from './screens.json' with { type: 'json' };

interface RecordedScreen {
  readonly title: string;
  readonly cursor: readonly number[];
  /** Their indexes in the table of all lines. */
  readonly lines: string;
}

const screens: Readonly<Record<string, RecordedScreen>> = recorded.screens;

export function screenBytes(name: string, task: string): string {
  const screen = screens[name];
  if (screen === undefined) throw new Error(`the demo has no screen ${name}`);
  const { title, cursor, lines } = screen;
  const text = lines.split(' ').map((place) => recorded.lines[Number(place)] ?? '');
  const [x = 0, y = 0] = cursor;
  const place = `\x1b[${y + 1};${x + 1}H`;
  const painted = text.join('\r\n').replaceAll('^[', '\x1b');
  return `${titleBytes(title.replace('{task}', task))}${CLEAR}${painted}\x1b[0m${place}`;
}

/** The bytes of a program that has not drawn anything yet. */
export const blankBytes = (task: string): string => `${titleBytes(task)}${CLEAR}`;

const titleBytes = (title: string): string => `\x1b]2;${title}\x1b\\`;

const CLEAR = '\x1b[0m\x1b[2J\x1b[H';
