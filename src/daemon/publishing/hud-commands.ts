// The commands by which the HUD is found, opened and closed on a tmux server, and the readers of
// their replies. Pure. Nothing foreign is in any of them.

import { HUD_FIELD, HUD_NAME } from '../../platform/text/hud-mark.ts';
import type { Reply } from '../../tmux-wire/control-parser.ts';

/** Room that a window must have beside the HUD, so that there is something to see below it. */
const ROOM_CELLS = 8;
/** Smaller ones show no agent; the configuration takes no less. */
const COLUMNS_MIN = 16;
const ROWS_MIN = 3;

/**
 * The reader: one `tail` as long as the pane lives, no process for each picture. Where tail can, it
 * ends with the daemon. Keys do nothing and are not shown.
 */
const READER = [
  'stty -echo 2>/dev/null',
  'trap "" INT QUIT TSTP',
  'if tail --pid="$2" -n 0 /dev/null 2>/dev/null',
  'then exec tail --pid="$2" -n +1 -F "$1" 2>/dev/null',
  'else exec tail -n +1 -F "$1" 2>/dev/null; fi',
].join('\n');

const SIZE_FORMAT = '#{pane_id} #{pane_width} #{pane_height}';

export interface HudPane {
  readonly paneId: string;
  readonly isDead: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** The window that a terminal of a person shows. */
export interface ClientWindow {
  readonly windowId: string;
  readonly columns: number;
  readonly rows: number;
}

/** Whether this tmux has floating panes, the panes, and who looks at which window. */
export const hudQuery = (fileName: string): readonly (readonly string[])[] => [
  ['list-commands', 'new-pane'],
  [
    ...['list-panes', '-a', '-F'],
    `#{${HUD_FIELD}} #{m:*${fileName}*,#{pane_start_command}} #{pane_id} #{pane_dead} ` +
      '#{pane_width} #{pane_height}',
  ],
  [
    ...['list-clients', '-F'],
    '#{client_control_mode} #{client_activity} #{window_id} #{window_width} #{window_height}',
  ],
];

export interface HudReplies {
  readonly isSupported: boolean;
  /** The HUDs of this daemon. */
  readonly panes: readonly HudPane[];
  /** That of the client that was used last; null where nobody is attached. */
  readonly window: ClientWindow | null;
}

/** Reads the replies to hudQuery; null where tmux did not answer. */
export function readHudReplies(replies: readonly Reply[]): HudReplies | null {
  const [command, panes, clients] = replies;
  if (!command || !panes?.ok || !clients) return null;
  return {
    // tmux before 3.7 lists nothing for a command that it has not, or refuses.
    isSupported: command.ok && command.lines.length > 0,
    panes: uniquePanes(panes.lines),
    window: clients.ok ? lastUsedWindow(clients.lines) : null,
  };
}

/** A linked window lists its panes once for each session. */
function uniquePanes(lines: readonly string[]): readonly HudPane[] {
  const panes = new Map<string, HudPane>();
  for (const line of lines) {
    const [, paneId, dead, columns, rows] = /^1 1 (%\d+) ([01]) (\d+) (\d+)$/.exec(line) ?? [];
    if (paneId === undefined) continue;
    const size = { columns: Number(columns), rows: Number(rows) };
    panes.set(paneId, { paneId, isDead: dead === '1', ...size });
  }
  return [...panes.values()];
}

function lastUsedWindow(lines: readonly string[]): ClientWindow | null {
  let latestS = -1;
  let window: ClientWindow | null = null;
  for (const line of lines) {
    const [, usedS, windowId, columns, rows] = /^0 (\d+) (@\d+) (\d+) (\d+)$/.exec(line) ?? [];
    if (windowId === undefined || Number(usedS) <= latestS) continue;
    latestS = Number(usedS);
    window = { windowId, columns: Number(columns), rows: Number(rows) };
  }
  return window;
}

export interface HudPlace {
  readonly columns: number;
  readonly rows: number;
  readonly file: string;
  readonly daemonPid: number;
}

/** Opens it in the upper right corner, without the focus; null where the window has no room. */
export function openHudCommand(
  window: ClientWindow,
  { columns, rows, file, daemonPid }: HudPlace,
): readonly string[] | null {
  const width = Math.min(columns, window.columns - ROOM_CELLS);
  const height = Math.min(rows, window.rows - ROOM_CELLS);
  if (width < COLUMNS_MIN || height < ROWS_MIN) return null;
  return [
    ...['new-pane', '-d', '-P', '-F', SIZE_FORMAT, '-t', window.windowId],
    ...['-x', String(width), '-y', String(height)],
    ...['-X', String(window.columns - width - 2), '-Y', '1'],
    ...['/bin/sh', '-c', READER, HUD_NAME, file, String(daemonPid)],
  ];
}

/** The new pane; its border takes some of the size in some versions. Null: none was opened. */
export function readOpenedHud(reply: Reply | undefined): HudPane | null {
  const line = reply?.ok ? (reply.lines[0] ?? '') : '';
  const [, paneId, columns, rows] = /^(%\d+) (\d+) (\d+)$/.exec(line) ?? [];
  if (paneId === undefined) return null;
  return { paneId, isDead: false, columns: Number(columns), rows: Number(rows) };
}

/** Closes it, and no pane that is none. */
export const closeHudCommand = ({ paneId }: Pick<HudPane, 'paneId'>): readonly string[] => [
  ...['if-shell', '-F', '-t', paneId, `#{${HUD_FIELD}}`, `kill-pane -t ${paneId}`],
];
