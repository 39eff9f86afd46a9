// A cheap listing of every pane: the few things that change without a notification, at a third of
// what a whole listing costs tmux. Two of them are compared; a row is read only where it differs.

import { HUD_FIELD } from '../platform/text/hud-mark.ts';
import { SIDEBAR_OPTION } from '../platform/text/sidebar-option.ts';
import { decodeUtf8 } from '../tmux-wire/bytes.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';
import { AGENT_OPTIONS, SEPARATOR, shown } from './listing.ts';
import { withoutMotion } from './taps/repaint-memory.ts';

const LIFE_FIELDS = ['pane_id', 'pane_pid', 'pane_dead', 'pane_dead_status', 'pane_dead_signal'];
const PARTS = [
  ['window_activity'],
  // What stays while a program prints, and what moves with it.
  [...LIFE_FIELDS, 'destroy-unattached', ...AGENT_OPTIONS],
  ['cursor_x', 'cursor_y', 'history_size', 'alternate_on'],
  [HUD_FIELD, SIDEBAR_OPTION],
  ['pane_title'],
];
const FORMAT = PARTS.map((fields) => fields.map(shown).join(' ')).join(SEPARATOR);

/** One row a line. A title of two lines makes two, of which the second is no row. */
export type CheapListing = readonly string[];

/** A pane that may have printed between two listings, or just before the second. */
export interface MovedPane {
  readonly paneId: string;
  /** Its own cursor moved; else it may have been another pane of its window. */
  readonly isMoved: boolean;
  /** Its title says something else; that it spins or counts does not matter. */
  readonly isRetitled: boolean;
}

export function cheapListingCommand(): string[] {
  return ['list-panes', '-a', '-F', FORMAT];
}

/** Reads the reply to the command, without panes of ours; null for an error. */
export function readCheapListing(reply: Reply | undefined): CheapListing | null {
  return reply?.ok ? reply.lines.filter((line) => !isOwnPane(line)) : null;
}

function isOwnPane(line: string): boolean {
  const [, head = '', , own = ''] = line.split(SEPARATOR);
  const sidebarId = own.slice(own.indexOf(' ') + 1);
  return own.startsWith('1 ') || (sidebarId !== '' && head.startsWith(`${sidebarId} `));
}

/**
 * The panes that may have printed, from `sinceSecond` on at least: tmux counts whole seconds, so a
 * change may hide behind an earlier one. Null where more than that differs.
 */
export function movedPanes(
  before: CheapListing,
  after: CheapListing,
  sinceSecond: number,
): readonly MovedPane[] | null {
  if (before.length !== after.length) return null;
  const moved: MovedPane[] = [];
  for (const [index, line] of after.entries()) {
    const lineBefore = before[index] ?? '';
    if (line === lineBefore && !(Number.parseInt(line, 10) >= sinceSecond)) continue;
    const pane = movedPane(lineBefore, line);
    if (pane === null) return null;
    moved.push(pane);
  }
  return moved;
}

function movedPane(lineBefore: string, line: string): MovedPane | null {
  const [, head, cursor, , title] = line.split(SEPARATOR);
  const [, headBefore, cursorBefore, , titleBefore] = lineBefore.split(SEPARATOR);
  if (head === undefined || head !== headBefore) return null;
  return {
    paneId: head.slice(0, head.indexOf(' ')),
    isMoved: cursor !== cursorBefore,
    isRetitled: title !== titleBefore && titleWords(title) !== titleWords(titleBefore),
  };
}

const titleWords = (title: string | undefined): string => withoutMotion(decodeUtf8(title ?? ''));
