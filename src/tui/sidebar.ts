// Opens and closes the sidebar: a narrow pane beside the panes of a window, in which the live view
// runs. The window has an option with the id of that pane, by which the daemon leaves it out of
// every list (tmux/listing.ts). Only `toggleSidebar` runs commands; the rest is pure.

import { runChild } from '../platform/process/launch.ts';
import { SIDEBAR_OPTION } from '../platform/text/sidebar-option.ts';
import { asArgument } from '../platform/text/tmux-argument.ts';

const TIMEOUT_MS = 3_000;
const STDOUT_BYTES_MAX = 100_000;

export interface SidebarRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A pane of the window; null: the current one. */
  readonly paneId: string | null;
  readonly columns: number;
  readonly isRight: boolean;
  /** What runs in the pane. */
  readonly command: readonly string[];
}

export type SidebarResult =
  | { readonly ok: true; readonly isOpen: boolean }
  | { readonly ok: false; readonly problem: string };

/** The window that is meant, with the id in its option. */
export interface SidebarWindow {
  readonly windowId: string;
  readonly paneId: string;
  /** The pane of its sidebar, if it still exists; else null. */
  readonly sidebarId: string | null;
}

/** Lists the panes of the window: whether active, their ids and the option. */
export const windowCommand = (paneId: string | null): readonly string[] => [
  ...['list-panes', ...(paneId === null ? [] : ['-t', paneId]), '-F'],
  `#{pane_active} #{window_id} #{pane_id} #{${SIDEBAR_OPTION}}`,
];

/** Reads the reply to windowCommand; null where it is none. */
export function readWindow(listed: string, paneId: string | null): SidebarWindow | null {
  const panes = listed.split('\n').flatMap((line) => {
    const [, active, windowId, id, option] = /^([01]) (@\d+) (%\d+) ?(.*)$/.exec(line) ?? [];
    return windowId && id ? [{ isActive: active === '1', windowId, id, option }] : [];
  });
  const own = panes.find(({ id }) => id === paneId) ?? panes.find(({ isActive }) => isActive);
  if (!own) return null;
  const sidebar = panes.find(({ id, option }) => id === option);
  return { windowId: own.windowId, paneId: own.id, sidebarId: sidebar?.id ?? null };
}

/**
 * One command line, so that no listing shows the pane before the window has the option. The pane is
 * as high as the window, and the one that was active stays so.
 */
export function openCommand(
  { paneId, windowId }: SidebarWindow,
  { columns, isRight, command }: Pick<SidebarRequest, 'columns' | 'isRight' | 'command'>,
): readonly string[] {
  return [
    ...['split-window', isRight ? '-hf' : '-hbf', '-l', String(columns), '-t', paneId],
    ...command.map(asArgument),
    ...[';', 'set-option', '-w', '-F', '-t', windowId, SIDEBAR_OPTION, '#{pane_id}'],
    ...[';', 'select-pane', '-t', paneId],
  ];
}

export const closeCommand = (windowId: string, sidebarId: string): readonly string[] => [
  ...['set-option', '-w', '-u', '-t', windowId, SIDEBAR_OPTION],
  ...[';', 'kill-pane', '-t', sidebarId],
];

/** Opens the sidebar of the window, or closes it if it is open. Never rejects. */
export async function toggleSidebar(request: SidebarRequest): Promise<SidebarResult> {
  const { env, paneId } = request;
  const [socketPath = ''] = env['TMUX']?.split(',') ?? [];
  if (!socketPath.startsWith('/')) {
    return { ok: false, problem: 'Not inside tmux. Run it in a pane, or use agtmux tui.' };
  }
  const run = (command: readonly string[]) =>
    runChild({
      command: 'tmux',
      args: ['-N', '-S', socketPath, ...command],
      env: { ...env },
      timeoutMs: TIMEOUT_MS,
      stdoutBytesMax: STDOUT_BYTES_MAX,
    });
  const listed = await run(windowCommand(paneId));
  const window = readWindow(listed.stdout, paneId);
  if (window === null) return failed(listed.stderr);
  const { windowId, sidebarId } = window;
  const isOpen = sidebarId === null;
  const done = await run(isOpen ? openCommand(window, request) : closeCommand(windowId, sidebarId));
  return done.code === 0 ? { ok: true, isOpen } : failed(done.stderr);
}

const failed = (stderr: string): SidebarResult => ({
  ok: false,
  problem: `tmux refused: ${stderr.trim() || 'it gave no answer'}`,
});
