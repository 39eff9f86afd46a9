// The bytes that draw a recorded screen, with title and cursor, and with what was typed into it:
// the mark of a dialog that moved, or the text in the input box. Pure.

import recorded from './screens.json' with { type: 'json' };

interface RecordedScreen {
  readonly title: string;
  readonly cursor: readonly number[];
  /** Their indexes in the table of all lines. */
  readonly lines: string;
}

const screens: Readonly<Record<string, RecordedScreen>> = recorded.screens;

/** What was typed since the screen was shown. */
export interface Typed {
  /** In the input box; empty where nothing is. */
  readonly draft: string;
  /** The marked option of a dialog, counted from 0; null where it is as recorded. */
  readonly marked: number | null;
}

export const UNTYPED: Typed = { draft: '', marked: null };

/** The columns of the demo's panes, less one for the right edge. */
const COLUMNS = 79;
const OPTION = /^([\s│]*)(?:[❯›●] )? *\d{1,2}\. /;
const MARK = /[❯›●](?= {1,2}\d{1,2}\. )/;
const BOX = /^( ?[❯›>*])(?:\s|$)/;
/** OpenCode's box has no sign: it stands two rows above the line with its model. */
const MODEL_LINE = /^ {1,4}┃ {2}Build ·/;

export function screenBytes(name: string, task: string, typed: Typed = UNTYPED): string {
  const { title, cursor } = screenOf(name);
  const lines = withDraft(rawLines(name), typed.draft);
  const [x = 0, y = 0] = cursor;
  const place = `\x1b[${y + 1};${x + 1}H`;
  const painted = lines.join('\r\n').replaceAll('^[', '\x1b');
  const mark = typed.marked === null ? '' : markBytes(name, typed.marked);
  return `${titleBytes(title.replace('{task}', task))}${CLEAR}${painted}\x1b[0m${mark}${place}`;
}

/** The bytes of a program that has not drawn anything yet. */
export const blankBytes = (task: string): string => `${titleBytes(task)}${CLEAR}`;

export interface DialogMarks {
  readonly count: number;
  /** The one that is marked as recorded. */
  readonly marked: number;
}

/** The options of the dialog that is on a screen; null where it has an input box instead. */
export function dialogOf(name: string): DialogMarks | null {
  if (!/-waiting_\w+$/.test(name)) return null;
  const lines = optionRows(name).map((row) => plainLines(name)[row] ?? '');
  return { count: lines.length, marked: lines.findIndex((line) => MARK.test(line)) };
}

function screenOf(name: string): RecordedScreen {
  const screen = screens[name];
  if (screen === undefined) throw new Error(`the demo has no screen ${name}`);
  return screen;
}

const rawLines = (name: string): readonly string[] =>
  screenOf(name)
    .lines.split(' ')
    .map((place) => recorded.lines[Number(place)] ?? '');

const plainOf = (line: string): string => line.replace(/\^\[\[[0-9;]*m/g, '');

const plainLines = (name: string): readonly string[] => rawLines(name).map(plainOf);

/** The rows of the last numbered list, from its 1 on. */
function optionRows(name: string): readonly number[] {
  const lines = plainLines(name);
  const rows = lines.flatMap((line, row) => (OPTION.test(line) ? [row] : []));
  const first = rows.findLast((row) => /^\D*1\. /.test(lines[row] ?? '')) ?? 0;
  return rows.filter((row) => row >= first);
}

/** Takes the mark from where it was recorded, and draws it at another option of the same list. */
function markBytes(name: string, marked: number): string {
  const lines = plainLines(name);
  const rows = optionRows(name);
  const from = rows.find((row) => MARK.test(lines[row] ?? ''));
  const to = rows[marked];
  if (from === undefined || to === undefined || from === to) return '';
  const line = lines[from] ?? '';
  const column = line.search(MARK);
  const at = (row: number): string => `\x1b[${row + 1};${column + 1}H`;
  return `${at(from)} ${at(to)}${line[column] ?? ''}`;
}

/** The lines with the text in the input box, which grows upwards as those of the agents do. */
function withDraft(lines: readonly string[], draft: string): readonly string[] {
  if (draft === '') return lines;
  const plain = lines.map(plainOf);
  const modelRow = plain.findLastIndex((line) => MODEL_LINE.test(line));
  const row = modelRow < 0 ? plain.findLastIndex((line) => BOX.test(line)) : modelRow - 2;
  if (row < 0) return lines;
  const sign = modelRow < 0 ? `${BOX.exec(plain[row] ?? '')?.[1] ?? ''} ` : '  ┃  ';
  const rest = modelRow < 0 ? ' '.repeat(sign.length) : sign;
  const parts = wrapped(draft, COLUMNS - sign.length, lines.length / 2);
  const drawn = parts.map((part, index) => `^[[0m${index === 0 ? sign : rest}${part}`);
  return [...lines.slice(parts.length - 1, row), ...drawn, ...lines.slice(row + 1)];
}

/** The last rows of a text. */
function wrapped(text: string, width: number, rowsMax: number): readonly string[] {
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += width) rows.push(text.slice(at, at + width));
  return rows.slice(-Math.floor(rowsMax));
}

const titleBytes = (title: string): string => `\x1b]2;${title}\x1b\\`;

/** Agents take a paste in brackets. */
const CLEAR = '\x1b[?2004h\x1b[0m\x1b[2J\x1b[H';
