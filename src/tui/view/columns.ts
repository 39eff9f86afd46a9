// The widths of the columns of the list. Where room is short, first the reasons of states go, then
// contexts, folders, branches and targets; state words, ages, agents and panes stay longest. Pure.

import { sanitise, type View } from '../../render/view.ts';
import { cutToWidth, textWidth } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { TuiColumn } from '../../text/tui-columns.ts';
import { pathText } from '../rows/group-panes.ts';

export interface ColumnLayout {
  readonly gap: number;
  /** The columns from left to right; the title takes the room that is left. */
  readonly cells: readonly { readonly column: TuiColumn; readonly width: number }[];
  /** What a pane is called: with its target where there is room for that. */
  readonly nameOf: (pane: PaneItem) => string;
  /** The column of panes is wanted, and has no room. */
  readonly lacksPane: boolean;
}

/** The digit or the pointer, and a blank. */
export const GUTTER = 2;
export const MARK = 1;
export const AGE = 4;
/** `waiting_approval`. */
const STATE = 16;
const STATE_MAX = 32;
const AGENT_MAX = 10;
const PANE_MAX = 24;
const BRANCH_MAX = 24;
const FOLDER_MAX = 30;
const CONTEXT = 8;

/** What the title keeps when a column appears: the less important, the more. */
const titleMins = {
  state: 20,
  age: 12,
  agent: 12,
  pane: 12,
  target: 24,
  branch: 30,
  folder: 36,
  context: 36,
  reason: 36,
} as const;

export interface ColumnsInput {
  readonly view: View;
  readonly panes: readonly PaneItem[];
  /** What to type for a pane, whatever else the list hides. */
  readonly typedName: (pane: PaneItem) => string;
  readonly columns: readonly TuiColumn[];
  readonly home: string;
}

/** The columns that fit into the width of the view. */
export function layoutColumns(input: ColumnsInput): ColumnLayout {
  const { view, panes, columns, home } = input;
  const gap = view.width >= 64 ? 2 : 1;
  const widths = new Map<TuiColumn, number>();
  const widest = (text: (pane: PaneItem) => string): number =>
    panes.reduce((most, pane) => Math.max(most, textWidth(sanitise(view, text(pane)))), 0);
  let left = view.width - GUTTER - MARK - gap;
  const take = (column: TuiColumn, cells: number, titleMin: number): void => {
    const isWanted = columns.includes(column) && cells > 0;
    if (!isWanted || left - cells - gap < titleMin) return;
    left -= cells + gap;
    widths.set(column, cells);
  };
  const grow = (column: TuiColumn, cells: number, titleMin: number): boolean => {
    const more = cells - (widths.get(column) ?? cells);
    if (more <= 0 || left - more < titleMin) return more <= 0;
    left -= more;
    widths.set(column, cells);
    return true;
  };
  const most = (max: number, text: (pane: PaneItem) => string): number =>
    Math.min(max, widest(text));
  take('state', STATE, titleMins.state);
  take('age', AGE, titleMins.age);
  take(
    'agent',
    most(AGENT_MAX, (pane) => pane.agent ?? '-'),
    titleMins.agent,
  );
  take('pane', most(PANE_MAX, shortPane), titleMins.pane);
  const longPane = (pane: PaneItem): string => placedName(pane, input.typedName(pane));
  const hasTargets = grow('pane', most(PANE_MAX, longPane), titleMins.target);
  take(
    'branch',
    most(BRANCH_MAX, (pane) => pane.git_branch ?? ''),
    titleMins.branch,
  );
  take(
    'folder',
    most(FOLDER_MAX, (pane) => pathText(pane, home)),
    titleMins.folder,
  );
  take('context', CONTEXT, titleMins.context);
  grow('state', Math.max(STATE, most(STATE_MAX, stateText)), titleMins.reason);
  widths.set('title', Math.max(0, left));
  const cells = columns.map((column) => ({ column, width: widths.get(column) ?? 0 }));
  const nameOf = hasTargets ? longPane : shortPane;
  const lacksPane = columns.includes('pane') && !widths.has('pane');
  return { gap, nameOf, lacksPane, cells: cells.filter(({ width }) => width > 0) };
}

/** `session:window.pane`, as commands take it. */
export const shortPane = ({ identity }: PaneItem): string =>
  identity === null
    ? '-'
    : `${identity.session_name}:${identity.window_index}.${identity.pane_index}`;

/** A pane of another machine is shown with its target, also where its location is the only one. */
const placedName = (pane: PaneItem, typedName: string): string => {
  const location = shortPane(pane);
  if (pane.identity === null) return location;
  const isPlaced = pane.target === 'local' || typedName !== location;
  return isPlaced ? typedName : `${pane.target}/${location}`;
};

/** The name of a pane in so many cells: a long session name is cut, its numbers are kept. */
export function paneText(view: View, name: string, cells: number): string {
  const text = sanitise(view, name);
  const colon = text.lastIndexOf(':');
  if (textWidth(text) <= cells || colon < 0) return text;
  const tail = text.slice(colon);
  const head = cutToWidth(text.slice(0, colon), cells - textWidth(tail), view.unicode ? '…' : '.');
  return `${head}${tail}`;
}

/** The state with its reason, or `no agent`; what was last known where the state is hidden. */
export function stateText({ agent, state, reason_code, last_known }: PaneItem): string {
  // One that came while nothing could be stored is not known.
  if (agent === null && reason_code !== 'store_failed') return 'no agent';
  if (last_known !== null) return last_known.state;
  return reason_code === null ? state : `${state} (${reason_code})`;
}

/** The state in so many cells: without its reason where that does not fit. */
export function shortState(pane: PaneItem, cells: number): string {
  const text = stateText(pane);
  return textWidth(text) <= cells ? text : (pane.last_known?.state ?? pane.state);
}
