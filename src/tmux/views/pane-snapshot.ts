// Everything that a viewer needs to show a pane from nothing: its history, its screen, the screen
// under an alternate one, the cursor and the modes. Read in one step, and written as bytes for a
// terminal. Byte strings throughout.

import type { Reply } from '../../tmux-wire/control-parser.ts';
import { outputState } from './output-state.ts';

export interface PaneSnapshot {
  readonly cols: number;
  readonly rows: number;
  readonly alternateOn: boolean;
  /** What scrolled off the main screen, the newest last. */
  readonly history: readonly string[];
  /** The main screen where an alternate one is shown, else empty. */
  readonly saved: readonly string[];
  readonly screen: readonly string[];
  readonly facts: PaneModes;
}

// The marker comes first, so that the replies are told from others of the same client.
const MARK = 'agtmux-view';

const FIELDS = [
  ...['pane_width', 'pane_height', 'history_size', 'alternate_on', 'cursor_x', 'cursor_y'],
  ...['alternate_saved_x', 'alternate_saved_y', 'scroll_region_upper', 'scroll_region_lower'],
  ...['cursor_flag', 'insert_flag', 'keypad_cursor_flag', 'keypad_flag', 'wrap_flag'],
  ...['origin_flag', 'mouse_standard_flag', 'mouse_button_flag', 'mouse_all_flag'],
  ...['mouse_sgr_flag', 'mouse_utf8_flag', 'bracket_paste_flag'],
] as const;
type Field = (typeof FIELDS)[number];

/** The value of each field; null where this tmux does not know it. */
export type PaneModes = Readonly<Record<Field, number | null>>;

/** How many replies the commands below get. */
export const SNAPSHOT_REPLIES = 4;
/** More than any terminal has. */
const SIDE_MAX = 10_000;

/** The commands of a snapshot with so many lines of history; to be run with nothing in between. */
export function snapshotCommands(
  paneId: string,
  { request, historyCount }: { readonly request: number; readonly historyCount: number },
): string[][] {
  const format = `${MARK} ${request} ${FIELDS.map((field) => `#{${field}}`).join(',')}`;
  const capture = ['capture-pane', '-p', '-e', '-N', '-t', paneId];
  return [
    ['display-message', '-p', '-t', paneId, format],
    // Without history this is the first line of the screen; reading leaves it out.
    [...capture, '-S', `-${Math.max(1, historyCount)}`, '-E', '-1'],
    [...capture, '-a', '-q'],
    capture,
  ];
}

const marked = new RegExp(`^${MARK} (\\d+) ([\\d,]*)$`);

/** The request of a snapshot whose replies begin with this one; null for any other reply. */
export function snapshotRequestOf(reply: Reply | undefined): number | null {
  const found = reply?.ok === true ? marked.exec(reply.lines[0] ?? '') : null;
  return found ? Number(found[1]) : null;
}

/** Reads the replies; null for a pane that is gone. Never throws. */
export function readSnapshot(replies: readonly Reply[], historyCount: number): PaneSnapshot | null {
  const [about, history, saved, screen] = replies;
  const found = about?.ok ? marked.exec(about.lines[0] ?? '') : null;
  if (!found || !history?.ok || !saved?.ok || !screen?.ok) return null;
  const values = (found[2] ?? '').split(',').map((text) => (text === '' ? null : Number(text)));
  const facts = Object.fromEntries(
    FIELDS.map((field, index) => [field, values[index] ?? null]),
  ) as Record<Field, number | null>;
  const [cols, rows] = [facts.pane_width ?? 0, facts.pane_height ?? 0];
  if (cols < 1 || rows < 1 || cols > SIDE_MAX || rows > SIDE_MAX) return null;
  const alternateOn = facts.alternate_on === 1;
  const historySize = Math.min(facts.history_size ?? 0, historyCount);
  return {
    ...{ cols, rows, alternateOn, facts },
    history: historySize === 0 ? [] : history.lines.slice(-historySize),
    saved: alternateOn ? saved.lines : [],
    screen: screen.lines.slice(0, rows),
  };
}

const ESC = '\u001b';
/** Lines of captures switch to the line-drawing set by shift out, which is G1. */
const DRAWING_IN_G1 = `${ESC})0`;
const PLAIN = `${ESC}[0m\u000f`;

const at = (y: number, x: number): string => `${ESC}[${y + 1};${x + 1}H`;

/**
 * The bytes that make any terminal show the pane, whatever it showed before. One that can be sized
 * by its program takes the size of the pane.
 */
export function snapshotBytes(snapshot: PaneSnapshot): string {
  const { cols, rows, history, saved, screen, alternateOn, facts } = snapshot;
  const size = `${ESC}[8;${rows};${cols}t`;
  const cursor = at(facts.alternate_saved_y ?? 0, facts.alternate_saved_x ?? 0);
  const past = history.length === 0 ? '' : `${drawn(history, '')}${PLAIN}\r\n`;
  const shown = `${drawn(screen, '')}${PLAIN}${endBytes(snapshot)}`;
  const main = alternateOn ? `${drawn(saved, '')}${PLAIN}${cursor}${ESC}[?1049h${ESC}[H` : '';
  return `${ESC}c${size}${DRAWING_IN_G1}${past}${main}${shown}`;
}

/** The bytes that draw the screen again over what is shown, for a terminal of the same size. */
export function repaintBytes(snapshot: PaneSnapshot): string {
  const start = `${ESC}[?25l${ESC}[?6l${ESC}[r${ESC}[4l${ESC}[?7l${ESC}[H${DRAWING_IN_G1}${PLAIN}`;
  const lines = drawn(snapshot.screen, `${ESC}[K`);
  return `${start}${lines}${PLAIN}${ESC}[K${ESC}[?7h${ESC}[?25h${endBytes(snapshot)}`;
}

/**
 * Lines of one capture, whose attributes go on from line to line. They are off where a line ends,
 * or a terminal would fill the next one with them.
 */
function drawn(lines: readonly string[], lineEnd: string): string {
  const state = outputState();
  let text = '';
  for (const [index, line] of lines.entries()) {
    const pen = state.bytes;
    text += index === 0 ? line : `${ESC}[0m${lineEnd}\r\n${pen}${line}`;
    state.feed(line);
  }
  return text;
}

/** One line of a capture by itself. */
function lineAlone(lines: readonly string[], index: number): string {
  const state = outputState();
  const before = lines.slice(0, index).join('');
  state.feed(before);
  const isShifted = before.lastIndexOf('\u000e') > before.lastIndexOf('\u000f');
  return `${isShifted ? '\u000e' : ''}${state.bytes}${lines[index] ?? ''}`;
}

const modes = (value: number | null, on: string): string => (value === 1 ? `${ESC}[${on}h` : '');

/** The modes, then the cursor where it is. */
function endBytes({ cols, rows, screen, facts }: PaneSnapshot): string {
  const upper = facts.scroll_region_upper ?? 0;
  const lower = facts.scroll_region_lower ?? rows - 1;
  const isWhole = upper === 0 && lower === rows - 1;
  const y = facts.cursor_y ?? 0;
  const isWrapPending = (facts.cursor_x ?? 0) >= cols;
  // A character in the last column leaves the cursor there until the next one.
  const last = isWrapPending
    ? `${at(y, 0)}${lineAlone(screen, y)}${PLAIN}`
    : at(y, facts.cursor_x ?? 0);
  return [
    isWhole ? '' : `${ESC}[${upper + 1};${lower + 1}r`,
    last,
    modes(facts.insert_flag, '4'),
    // The cursor is counted from the region then, and goes to its start when that begins.
    facts.origin_flag === 1 ? `${ESC}[?6h${at(y - upper, facts.cursor_x ?? 0)}` : '',
    facts.wrap_flag === 0 ? `${ESC}[?7l` : '',
    modes(facts.keypad_cursor_flag, '?1'),
    facts.keypad_flag === 1 ? `${ESC}=` : '',
    modes(facts.mouse_standard_flag, '?1000'),
    modes(facts.mouse_button_flag, '?1002'),
    modes(facts.mouse_all_flag, '?1003'),
    modes(facts.mouse_utf8_flag, '?1005'),
    modes(facts.mouse_sgr_flag, '?1006'),
    // tmux before 3.6 does not say; every agent takes pastes in brackets.
    facts.bracket_paste_flag === 0 ? '' : `${ESC}[?2004h`,
    facts.cursor_flag === 0 ? `${ESC}[?25l` : '',
  ].join('');
}
