// One row of the list as a line: the cells of its columns. Pure.

import {
  clockText,
  isOwnTitle,
  lastWords,
  requestText,
  titleText,
  workNotes,
} from '../../render/pane-notes.ts';
import { ageOf, cutMark, markOf, sanitise, type View } from '../../render/view.ts';
import { textWidth } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { formatAge } from '../../text/format-age.ts';
import { isNeedKind, needsPerson } from '../../text/need.ts';
import type { TuiColumn } from '../../text/tui-columns.ts';
import type { Model, Order } from '../model.ts';
import { pathText } from '../rows/group-panes.ts';
import { type ListRow, waitingSince } from '../rows/sections.ts';
import { AGE, type ColumnLayout, paneText, shortPane, shortState, stateText } from './columns.ts';
import { modelView } from './layout.ts';
import { BOLD, DIM, fitLine, inkStyle, OWN, type SpanLine, type SpanStyle, span } from './spans.ts';

const ASKING: SpanStyle = { foreground: OWN.yellow };

export interface RowPlace {
  readonly layout: ColumnLayout;
  readonly columns: number;
  /** The digit that jumps to the row; null after the ninth. */
  readonly digit: number | null;
  readonly isSelected: boolean;
  /** Its question is on a line of its own. */
  readonly hasQuestion: boolean;
}

/** The line of a row, exactly as wide as the list. */
export function rowLine(model: Model, row: ListRow, place: RowPlace): SpanLine {
  const { pane } = row;
  const { layout, columns, digit, isSelected } = place;
  const view = modelView(model, columns);
  const marked = pane.agent !== null && markOf(view, pane.state);
  const ink = marked ? inkStyle(marked.ink) : DIM;
  const hasNews = pane.attention.kinds.length > 0;
  const gap = span(' '.repeat(layout.gap));
  const cells = layout.cells.flatMap(({ column, width }) => [
    ...fitLine(cellOf({ model, view, pane, place, width }, column), width, cutMark(view)),
    gap,
  ]);
  const hasState = layout.cells[0]?.column === 'state';
  const line = [
    ...gutter(view, isSelected, digit),
    span(marked ? marked.mark : ' ', { ...ink, bold: hasNews }),
    span(' '.repeat(hasState ? 1 : layout.gap)),
    ...cells,
  ];
  const fitted = fitLine(line, columns, '');
  return isSelected ? fitted.map(({ text }) => span(text, { inverse: true })) : fitted;
}

function gutter(view: View, isSelected: boolean, digit: number | null): SpanLine {
  if (isSelected) return [span(view.unicode ? '▸ ' : '> ')];
  return [span(digit === null ? '  ' : `${digit} `, DIM)];
}

interface CellInput {
  readonly model: Model;
  readonly view: View;
  readonly pane: PaneItem;
  readonly place: RowPlace;
  readonly width: number;
}

type MakeCell = (input: CellInput) => SpanLine;

const makeCells: Readonly<Record<TuiColumn, MakeCell>> = {
  state: ({ view, pane, width }) => {
    const isKnown = pane.agent !== null && pane.last_known === null;
    const ink = isKnown ? markOf(view, pane.state).ink : 'dim';
    return [span(shortState(pane, width), inkStyle(ink))];
  },
  age: ({ view, pane }) => {
    const since = needsPerson(pane) ? waitingSince(pane) : pane.since;
    return [span(ageOf(view, since).padStart(AGE), DIM)];
  },
  agent: ({ view, pane }) => [
    span(sanitise(view, pane.agent ?? '-'), pane.agent === null ? DIM : BOLD),
  ],
  pane: ({ view, pane, place, width }) => [
    span(paneText(view, place.layout.nameOf(pane), width), DIM),
  ],
  title: titleCell,
  branch: ({ view, pane }) => [span(sanitise(view, pane.git_branch ?? ''), DIM)],
  folder: ({ model, view, pane }) => [span(sanitise(view, pathText(pane, model.home)), DIM)],
  context: ({ view, pane }) => [
    span(sanitise(view, workNotes(pane).find((note) => note.startsWith('ctx')) ?? ''), DIM),
  ],
};

const cellOf = (input: CellInput, column: TuiColumn): SpanLine => makeCells[column](input);

function titleCell({ model, view, pane, place, width }: CellInput): SpanLine {
  const isAgent = pane.agent !== null;
  const detail = place.hasQuestion ? workNotes(pane).join(', ') : detailOf(pane);
  const ink = needsPerson(pane) && !place.hasQuestion ? ASKING : DIM;
  return [
    span(runningWord(model, pane), BOLD),
    span(sanitise(view, reasonPart(view, pane, place.layout)), DIM),
    ...nameParts({ view, pane, place, width }, isAgent ? {} : DIM),
    span(detail === '' ? '' : sanitise(view, `  ${detail}`), ink),
  ];
}

const runningWords: Readonly<Record<Order['kind'], string>> = {
  approve: 'approving',
  deny: 'denying',
  answer: 'answering',
  'own-answer': 'answering',
  send: 'sending',
  interrupt: 'stopping',
  kill: 'ending',
};

/** What is being done to the agent by a key. */
function runningWord({ running, look }: Model, { pane_key }: PaneItem): string {
  const order = running.get(pane_key);
  return order ? `${runningWords[order.kind]}${look.unicode ? '…' : '...'} ` : '';
}

/** The name that a person gave, and the title: dim where there is a name. */
function nameParts(
  { view, pane, place: { layout }, width }: Omit<CellInput, 'model'>,
  style: SpanStyle,
): SpanLine {
  if (pane.alias === null) {
    // Without its column the place is what tells two agents of one folder apart.
    const hasTitle = !layout.lacksPane || pane.identity === null || isOwnTitle(pane);
    const text = hasTitle ? sanitise(view, pane.title) : paneText(view, shortPane(pane), width);
    return [span(text, style)];
  }
  const rest = sanitise(view, titleText(view, pane)).slice(sanitise(view, pane.alias).length);
  return [span(sanitise(view, pane.alias), BOLD), span(rest, DIM)];
}

/** More about the reason: since when nothing is known, how long a limit lasts. */
function moreOfReason(view: View, pane: PaneItem): string {
  const { reason_code: reason, until } = pane;
  if (reason === 'target_unreachable') return `${pane.target} down for ${ageOf(view, pane.since)}`;
  const restMs = until === null ? 0 : Date.parse(until) - view.nowMs;
  return restMs > 0 ? `${formatAge(restMs)} left` : '';
}

/** Before the title: until when it is snoozed, and what does not fit into the state column. */
function reasonPart(view: View, pane: PaneItem, layout: ColumnLayout): string {
  const { snoozed_until: until } = pane.attention;
  const snoozed = until === null ? '' : `snoozed until ${clockText(view, Date.parse(until))}`;
  const parts = [snoozed, ...hiddenReason(view, pane, layout)].filter((part) => part !== '');
  return parts.length === 0 ? '' : `(${parts.join(', ')}) `;
}

function hiddenReason(view: View, pane: PaneItem, layout: ColumnLayout): readonly string[] {
  if (pane.reason_code === null || pane.agent === null) return [];
  const width = layout.cells.find(({ column }) => column === 'state')?.width ?? 0;
  const isShown = pane.last_known === null && textWidth(stateText(pane)) <= width;
  const isDown = pane.reason_code === 'target_unreachable';
  return [isShown || isDown ? '' : pane.reason_code, moreOfReason(view, pane)];
}

/** The open request, else the running tool, background work and what was written last. */
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
    state === 'running' && activity.tool !== null ? '' : lastWords(pane),
  ];
  return parts.filter((each) => each !== '').join(', ');
}

/** What the agent wants of a person, for the line below its row; null when it is not known. */
export function questionOf(view: View, pane: PaneItem): string | null {
  const requests = pane.attention.requests.filter(({ kind }) => isNeedKind(kind));
  const texts = requests.map(requestText).filter((text) => text !== '');
  const [first] = texts;
  if (first !== undefined) {
    return texts.length === 1 ? first : `${first} (and ${texts.length - 1} more)`;
  }
  if (!pane.attention.kinds.includes('stuck')) return null;
  return `stuck: no sign of work for ${ageOf(view, pane.activity.last_at ?? pane.since)}`;
}
