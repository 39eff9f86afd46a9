// The list: a heading for each session, one line for each pane. Where room is short, the least
// important columns are dropped. Pure.

import { paneState } from '../../render/listings.ts';
import { isCrashed, requestText, workNotes } from '../../render/pane-notes.ts';
import { ageOf, cutMark, formatAge, markOf, sanitise, type View } from '../../render/view.ts';
import { textWidth } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Model } from '../model.ts';
import { type Area, layoutScreen, modelView } from './layout.ts';
import {
  groupPanes,
  type ListEntry,
  type ListRow,
  listEntries,
  needsPerson,
  type SessionGroup,
  stateCounts,
} from './rows.ts';
import {
  dimmed,
  fitLine,
  inkStyle,
  type Span,
  type SpanLine,
  type SpanStyle,
  span,
} from './spans.ts';

const DIM: SpanStyle = { dim: true };
const BOLD: SpanStyle = { bold: true };
const ASKING: SpanStyle = { foreground: '33' };

/** The widths of the columns; 0 means that there is no room for the column. */
export interface Columns {
  readonly gap: number;
  readonly state: number;
  readonly age: number;
  readonly agent: number;
  readonly where: number;
  readonly title: number;
  readonly branch: number;
}

const GUTTER = 2;
const MARK = 1;
/** `waiting_approval`. */
const STATE = 16;
const STATE_MAX = 32;
const AGE = 4;
const AGENT_MAX = 10;
const WHERE_MAX = 20;
const BRANCH_MAX = 24;

/** The widths of the columns: the less important ones appear only if the title keeps its room. */
export function columnsFor(width: number, rows: readonly ListRow[], view: View): Columns {
  const gap = width >= 64 ? 2 : 1;
  const widest = (text: (pane: PaneItem) => string): number =>
    rows.reduce((most, { pane }) => Math.max(most, textWidth(sanitise(view, text(pane)))), 0);
  let left = width - GUTTER - MARK - gap;
  const take = (cells: number, titleMin: number): number => {
    if (cells === 0 || left - cells - gap < titleMin) return 0;
    left -= cells + gap;
    return cells;
  };
  const agent = take(
    Math.min(
      AGENT_MAX,
      widest((pane) => pane.agent ?? '-'),
    ),
    12,
  );
  const age = take(AGE, 12);
  const place = Math.min(WHERE_MAX, widest(shortWhere));
  const where = take(place, 12);
  const state = take(STATE, 20);
  const branch = take(
    Math.min(
      BRANCH_MAX,
      widest((pane) => pane.git_branch ?? ''),
    ),
    28,
  );
  // The rest of the room goes to window names, then to the reasons of states.
  const named = Math.min(WHERE_MAX, widest(longWhere));
  const moreWhere = where > 0 && left - (named - where) >= 36 ? named - where : 0;
  left -= moreWhere;
  const reasoned = Math.min(STATE_MAX, widest(stateText));
  const moreState = state > 0 && left - (reasoned - STATE) >= 36 ? reasoned - STATE : 0;
  left -= Math.max(0, moreState);
  return {
    gap,
    age,
    agent,
    branch,
    state: state + Math.max(0, moreState),
    where: where + moreWhere,
    title: Math.max(0, left),
  };
}

const shortWhere = ({ identity }: PaneItem): string =>
  identity === null ? '-' : `${identity.window_index}.${identity.pane_index}`;

const longWhere = (pane: PaneItem): string =>
  pane.identity === null ? '-' : `${shortWhere(pane)} ${pane.identity.window_name}`;

/** With the name of the window where it fits. */
function whereText(view: View, pane: PaneItem, columns: Columns): string {
  const long = sanitise(view, longWhere(pane));
  return textWidth(long) <= columns.where ? long : sanitise(view, shortWhere(pane));
}

function stateText(pane: PaneItem): string {
  const { presence, state, reason_code } = pane;
  if (isCrashed(pane)) return 'crashed';
  if (presence !== 'managed') return 'no agent';
  return reason_code === null ? state : `${state} (${reason_code})`;
}

/** The state without its reason where that does not fit. */
function stateIn(pane: PaneItem, columns: Columns): string {
  const text = stateText(pane);
  return textWidth(text) <= columns.state ? text : pane.state;
}

/** More about the reason: since when nothing is known, how long a limit lasts. */
function moreOfReason(view: View, { reason_code: reason, until, last_seen_at }: PaneItem): string {
  if (reason === 'target_unreachable') return `last seen ${ageOf(view, last_seen_at)} ago`;
  const restMs = until === null ? 0 : Date.parse(until) - view.nowMs;
  return restMs > 0 ? `${formatAge(restMs)} left` : '';
}

/** Before the title: the part of the reason that does not fit into the state column. */
function reasonText(view: View, pane: PaneItem, columns: Columns): string {
  if (pane.reason_code === null || pane.presence !== 'managed') return '';
  const isShown = textWidth(stateText(pane)) <= columns.state;
  const parts = [isShown ? '' : pane.reason_code, moreOfReason(view, pane)];
  const text = parts.filter((each) => each !== '').join(', ');
  return text === '' ? '' : `(${text}) `;
}

/** The open request, else the running tool and background work. */
function detailOf(pane: PaneItem): string {
  const { attention, activity, state } = pane;
  const [request] = attention.requests;
  const requested = request ? requestText(request) : '';
  if (requested !== '') return requested;
  const parts = [
    // The state does not show these.
    ...attention.kinds.filter((kind) => kind === 'stuck' || kind === 'crash'),
    state === 'running' ? (activity.tool ?? '') : '',
    ...workNotes(pane),
  ];
  return parts.filter((each) => each !== '').join(', ');
}

function rowLine(model: Model, { key, pane }: ListRow, columns: Columns, area: Area): SpanLine {
  const view = modelView(model, area.columns);
  const isAgent = pane.presence === 'managed';
  const isSelected = key === model.selected;
  const marked = isCrashed(pane) ? markOf(view, 'error') : isAgent && markOf(view, pane.state);
  const ink = marked ? inkStyle(marked.ink) : DIM;
  const asks = pane.attention.kinds.length > 0;
  const mark = marked ? marked.mark : ' ';
  const gap = span(' '.repeat(columns.gap));
  const cell = (width: number, line: SpanLine): SpanLine =>
    width === 0 ? [] : [...fitLine(line, width, cutMark(view)), gap];
  const pointer = view.unicode ? '▸ ' : '> ';
  const line = [
    span(isSelected ? pointer : '  '),
    span(mark, { ...ink, bold: asks }),
    span(' '.repeat(columns.state > 0 ? 1 : columns.gap)),
    ...cell(columns.state, [span(stateIn(pane, columns), ink)]),
    ...cell(columns.age, [span(ageOf(view, pane.since).padStart(AGE), DIM)]),
    ...cell(columns.agent, [span(sanitise(view, pane.agent ?? '-'), isAgent ? BOLD : DIM)]),
    ...cell(columns.where, [span(whereText(view, pane, columns), DIM)]),
    ...cell(columns.title, titlePieces(view, pane, columns)),
    ...cell(columns.branch, [span(sanitise(view, pane.git_branch ?? ''), DIM)]),
  ];
  const fitted = fitLine(line, area.columns, '');
  if (isSelected) return fitted.map(({ text }) => span(text, { inverse: true }));
  return model.link.kind === 'lost' ? dimmed(fitted) : fitted;
}

function titlePieces(view: View, pane: PaneItem, columns: Columns): readonly Span[] {
  const isAgent = pane.presence === 'managed';
  const prefix = reasonText(view, pane, columns);
  const detail = detailOf(pane);
  return [
    span(sanitise(view, prefix), DIM),
    span(sanitise(view, pane.title), isAgent ? {} : DIM),
    span(detail === '' ? '' : sanitise(view, `  ${detail}`), needsPerson(pane) ? ASKING : DIM),
  ];
}

function groupLine(model: Model, group: SessionGroup, area: Area): SpanLine {
  const view = modelView(model, area.columns);
  const server = group.server === null ? '' : `+${group.server}`;
  const place = group.session === null ? ' without a pane' : `/${group.session}`;
  const name = `${group.target}${server}${place}`;
  const counts = stateCounts(group).flatMap(([state, count]) => {
    const { mark, ink } = markOf(view, state);
    return [span(' '), span(`${count}${mark}`, inkStyle(ink))];
  });
  const line = [span(sanitise(view, name), BOLD), span(' '), ...counts];
  const cut = fitLine(line, area.columns, cutMark(view));
  return model.link.kind === 'lost' ? dimmed(cut) : cut;
}

/** The first visible entry: the selected one stays in the middle where possible. */
function topOf(entries: readonly ListEntry[], selected: string | null, rows: number): number {
  const at = entries.findIndex((entry) => entry.kind === 'row' && entry.row.key === selected);
  const centred = Math.max(0, at) - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, entries.length - rows));
}

/** Why the list is empty. */
function emptyText(model: Model): string {
  if (model.link.kind === 'starting') return 'Waiting for the daemon.';
  if (model.panes.size > 0) return 'No pane matches the filter. Escape clears it.';
  return 'No tmux panes found. Panes appear here as soon as tmux has some.';
}

/** The lines of the list; they fill the area exactly. */
export function listLines(model: Model, area: Area): readonly SpanLine[] {
  const groups = groupPanes(model);
  const entries = listEntries(groups);
  const view = modelView(model, area.columns);
  const blank = fitLine([], area.columns, '');
  if (entries.length === 0) {
    const text = fitLine([span(` ${emptyText(model)}`, DIM)], area.columns, cutMark(view));
    return [blank, text, ...Array.from({ length: Math.max(0, area.rows - 2) }, () => blank)].slice(
      0,
      area.rows,
    );
  }
  const rows = groups.flatMap((group) => group.rows);
  const columns = columnsFor(area.columns, rows, view);
  const top = topOf(entries, model.selected, area.rows);
  const lines = entries
    .slice(top, top + area.rows)
    .map((entry) =>
      entry.kind === 'group'
        ? groupLine(model, entry.group, area)
        : rowLine(model, entry.row, columns, area),
    );
  return [...lines, ...Array.from({ length: area.rows - lines.length }, () => blank)];
}

/** The key of the row at a position on the terminal; null where there is none. */
export function rowKeyAt(model: Model, column: number, row: number): string | null {
  const layout = layoutScreen(model);
  if (layout.kind === 'small' || column >= layout.list.columns) return null;
  const line = row - 1;
  if (line < 0 || line >= layout.list.rows) return null;
  const entries = listEntries(groupPanes(model));
  const entry = entries[topOf(entries, model.selected, layout.list.rows) + line];
  return entry?.kind === 'row' ? entry.row.key : null;
}

/** `! waiting_approval` of a pane, for other pages. */
export function statePieces(view: View, pane: PaneItem): readonly Span[] {
  const { text, ink } = paneState(view, pane);
  return [span(text.trim(), inkStyle(ink))];
}
