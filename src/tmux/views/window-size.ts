// The size of a window for a while: the commands that read it, set it and put it back, and readers
// for their replies. tmux keeps a set size by the window's own option `window-size`, so that is put
// back too. Pure; who may set a size is decided in daemon/viewing.

import type { Reply } from '../../tmux-wire/control-parser.ts';
import { commandLine } from '../../tmux-wire/quote.ts';

export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

/** One life of a server: its window ids repeat in the next. */
export interface ServerLife {
  readonly serverPid: number;
  /** Seconds since the epoch, as tmux gives it. */
  readonly startTime: number;
}

/** A window as it was before its size was set. */
export interface UnsizedWindow extends WindowSize {
  readonly life: ServerLife;
  /** The window's own value of the option; empty where it has none. */
  readonly option: string;
  /** Where its panes are; null for one pane, which takes the whole window. */
  readonly layout: string | null;
}

export interface WindowReading {
  readonly window: UnsizedWindow;
  /** The sessions that people are attached to. */
  readonly attachedIds: ReadonlySet<string>;
}

const MARK = 'agtmux-size';
const DONE = `${MARK} set`;
const OPTION = 'window-size';
/** A size that is kept whatever clients there are; `resize-window` sets it. */
const KEPT = 'manual';
/** More than any window has. */
const SIDE_MAX = 10_000;
const LAYOUT_LENGTH_MAX = 8_192;

const FORMAT = [
  ...['pid', 'start_time', 'window_width', 'window_height', 'window_panes'],
  ...['window_zoomed_flag', 'window_layout'],
]
  .map((name) => `#{${name}}`)
  .join(' ');
const ABOUT = new RegExp(`^${MARK} (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) ([01]) (\\S*)$`);
const LAYOUT = /^[0-9a-f]{4},[0-9x,{}[\]]+$/;
const OPTION_VALUE = /^[a-z]{0,20}$/;

const people = ['list-clients', '-F', '#{client_control_mode} #{session_id}'];

/** What is read before a size is set; to be run with nothing in between. */
export const readSizeCommands = (windowId: string): string[][] => [
  ['display-message', '-p', '-t', windowId, `${MARK} ${FORMAT}`],
  ['show-options', '-wqv', '-t', windowId, OPTION],
  people,
];

/** Null for a window that is gone, or that says of itself what no window can. Never throws. */
export function readSizedWindow(replies: readonly Reply[]): WindowReading | null {
  const [about, own, clients] = replies;
  const found = about?.ok ? ABOUT.exec(about.lines[0] ?? '') : null;
  if (!found || !own?.ok || !clients?.ok) return null;
  const [serverPid = 0, startTime = 0, cols = 0, rows = 0, paneCount = 0] = found
    .slice(1, 6)
    .map(Number);
  const option = own.lines[0] ?? '';
  const isSane = cols >= 1 && rows >= 1 && cols <= SIDE_MAX && rows <= SIDE_MAX;
  if (!isSane || !OPTION_VALUE.test(option)) return null;
  const layout = found[7] ?? '';
  const hasLayout = paneCount > 1 && layout.length <= LAYOUT_LENGTH_MAX && LAYOUT.test(layout);
  return {
    window: {
      ...{ life: { serverPid, startTime }, cols, rows, option },
      layout: hasLayout ? layout : null,
    },
    attachedIds: attachedIn(clients),
  };
}

/** The commands that set a size, and then say who is attached. */
export const setSizeCommands = (
  windowId: string,
  life: ServerLife,
  { cols, rows }: WindowSize,
): string[][] => [inLife(windowId, life, [], [resizeTo(windowId, { cols, rows })]), people];

/** Whether the size was set, and who is attached after that. Never throws. */
export function readSizeSet(replies: readonly Reply[]): {
  readonly isSet: boolean;
  readonly attachedIds: ReadonlySet<string>;
} {
  const last = replies.at(-1);
  return { isSet: isDone(replies), attachedIds: last?.ok ? attachedIn(last) : new Set() };
}

/**
 * The commands that put a window back, unless somebody else has given it a size since: another than
 * the one that we have set, or another option.
 */
export function restoreSizeCommands(
  windowId: string,
  { life, option, layout, ...size }: UnsizedWindow,
  set: WindowSize | null,
): string[][] {
  const setOption = ['set-option', '-w', '-t', windowId, OPTION, option];
  const unsetOption = ['set-option', '-w', '-u', '-t', windowId, OPTION];
  const isOurs: (readonly [string, string])[] = [[`#{${OPTION}}`, KEPT]];
  if (set) isOurs.push(['#{window_width}', `${set.cols}`], ['#{window_height}', `${set.rows}`]);
  const restore = [resizeTo(windowId, size), option === '' ? unsetOption : setOption];
  const commands = [inLife(windowId, life, isOurs, restore)];
  // Panes that were squeezed do not find their sides again by themselves. It fails where panes
  // have come or gone, so it is last; a zoomed pane would lose its zoom.
  if (layout !== null) {
    const isUnzoomed: (readonly [string, string])[] = [
      ['#{window_zoomed_flag}', '0'],
      ['#{window_width}', `${size.cols}`],
      ['#{window_height}', `${size.rows}`],
    ];
    commands.push(inLife(windowId, life, isUnzoomed, [['select-layout', '-t', windowId, layout]]));
  }
  return commands;
}

const resizeTo = (windowId: string, { cols, rows }: WindowSize): string[] => [
  ...['resize-window', '-t', windowId, '-x', `${cols}`, '-y', `${rows}`],
];

/** Has tmux run the commands only in that life of the server and where the values are these. */
function inLife(
  windowId: string,
  { serverPid, startTime }: ServerLife,
  values: readonly (readonly [string, string])[],
  commands: readonly (readonly string[])[],
): string[] {
  const all = [['#{pid}', `${serverPid}`], ['#{start_time}', `${startTime}`], ...values];
  const [found, expected] = [0, 1].map((side) => all.map((pair) => pair[side]).join('|'));
  const done = ['display-message', '-p', DONE];
  return [
    ...['if-shell', '-F', '-t', windowId, `#{==:${found},${expected}}`],
    [...commands, done].map(commandLine).join(' ; '),
  ];
}

const isDone = (replies: readonly Reply[]): boolean =>
  replies.some((reply) => reply.ok && reply.lines.includes(DONE));

/** Programs that watch are no people. */
const attachedIn = ({ lines }: Reply): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => (line.startsWith('0 $') ? [line.slice(2)] : [])));
