// The inbox as a page: the list of what is asked, and the one that is answered: whose it is, all
// that it asks, its options, and the screen of its pane where there is room. Pure.

import { requestName, requestText } from '../../render/pane-notes.ts';
import { locationText } from '../../render/typed-names.ts';
import { ageOf, cutMark, sanitise } from '../../render/view.ts';
import { textWidth } from '../../render/width.ts';
import type { Model, PaneRequest, ShownRequest } from '../model.ts';
import { pathText } from '../rows/group-panes.ts';
import {
  isAnswered,
  isThatRequest,
  openRequests,
  unchangedRequest,
} from '../rows/open-requests.ts';
import { footerLines } from './bars.ts';
import { AGE } from './columns.ts';
import { type Area, modelView } from './layout.ts';
import { screenBody } from './preview-box.ts';
import { optionLines, questionLines } from './request-lines.ts';
import {
  BOLD,
  cutLine,
  DIM,
  dimmed,
  fitLine,
  OWN,
  type SpanLine,
  type SpanStyle,
  span,
} from './spans.ts';

const NEEDS: SpanStyle = { foreground: OWN.yellow, bold: true };
/** From this width on the list is beside what is asked. */
const SIDE_COLUMNS_MIN = 160;
const SIDE_LIST = 62;
/** With fewer rows there is only what is asked. */
const LIST_ROWS_MIN = 10;
/** With less of it a screen says nothing. */
const SCREEN_ROWS_MIN = 4;
const AGENT_MAX = 10;
const PLACE_MAX = 24;

interface InboxLayout {
  readonly list: Area;
  readonly shown: Area;
  readonly isSide: boolean;
}

function layoutInbox(model: Model): InboxLayout {
  const { columns } = model.size;
  // A long footer leaves less, and covers no option.
  const rows = Math.max(0, model.size.rows - 1 - footerLines(model).length);
  if (columns >= SIDE_COLUMNS_MIN) {
    const shown = { columns: columns - SIDE_LIST - 2, rows };
    return { list: { columns: SIDE_LIST, rows }, shown, isSide: true };
  }
  const most = rows < LIST_ROWS_MIN ? 0 : Math.floor(rows / 4);
  // The heading is a line of it.
  const list = Math.min(most, openRequests(model).length + 1);
  return {
    list: { columns, rows: list },
    shown: { columns, rows: rows - list },
    isSide: false,
  };
}

/** The whole body of the page. */
export function inboxLines(model: Model): readonly SpanLine[] {
  const { list, shown, isSide } = layoutInbox(model);
  const left = filled(listLines(model, list), list);
  const right = filled(shownLines(model, shown), shown);
  const lines = isSide ? sideBySide(model, left, right) : [...left, ...right];
  return model.link.kind === 'up' ? lines : lines.map(dimmed);
}

function sideBySide(model: Model, left: readonly SpanLine[], right: readonly SpanLine[]) {
  const between = span(model.look.unicode ? ' │' : ' |', DIM);
  return left.map((line, index) => [...line, between, ...(right[index] ?? [])]);
}

const filled = (lines: readonly SpanLine[], { rows, columns }: Area): readonly SpanLine[] =>
  Array.from({ length: rows }, (_, index) => fitLine(lines[index] ?? [], columns, ''));

function listLines(model: Model, area: Area): readonly SpanLine[] {
  const all = openRequests(model);
  const shown = model.inbox?.shown ?? null;
  const at = shown ? all.findIndex((each) => isThatRequest(each, shown)) : -1;
  const rows = Math.max(0, area.rows - 1);
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  const count = at < 0 ? `${all.length}` : `${at + 1} of ${all.length}`;
  const heading: SpanLine = [span('inbox', NEEDS), span(`  ${count}`, NEEDS)];
  const widest = (text: (each: ShownRequest) => string, most: number): number =>
    Math.min(most, Math.max(0, ...all.map((each) => textWidth(text(each)))));
  const agent = widest(({ pane }) => pane.agent ?? '-', AGENT_MAX);
  const place = widest(placeText, PLACE_MAX);
  const lines = all.slice(top, top + rows).map((each, index) => {
    const line = listLine(model, each, { agent, place, columns: area.columns });
    const isShown = top + index === at;
    return isShown ? line.map(({ text }) => span(text, { inverse: true })) : line;
  });
  return [heading, ...lines];
}

interface ListWidths {
  readonly agent: number;
  readonly place: number;
  readonly columns: number;
}

const placeText = ({ pane }: ShownRequest): string =>
  `${pane.target === 'local' ? '' : `${pane.target}/`}${locationText(pane.identity)}`;

function listLine(model: Model, each: ShownRequest, widths: ListWidths): SpanLine {
  const view = modelView(model, widths.columns);
  const { pane, request } = each;
  const mark = cutMark(view);
  const isPutOff = pane.attention.snoozed_until !== null;
  const note = isAnswered(model, each) ? 'being answered  ' : isPutOff ? 'put off  ' : '';
  const style = note === '' ? {} : DIM;
  const line = [
    span(` ${ageOf(view, request.since).padStart(AGE)}  `, DIM),
    ...fitLine([span(sanitise(view, pane.agent ?? '-'), BOLD)], widths.agent, mark),
    span('  '),
    ...fitLine([span(sanitise(view, placeText(each)), DIM)], widths.place, mark),
    span(`  ${note}`, DIM),
    span(sanitise(view, requestText(request) || requestName(request.kind, pane)), style),
  ];
  return fitLine(line, widths.columns, mark);
}

/** The one that is read, as it came up. */
function shownLines(model: Model, area: Area): readonly SpanLine[] {
  const shown = model.inbox?.shown ?? null;
  if (shown === null) return [[], [span(` ${emptyText(model)}`, DIM)]];
  const { head, scrolled, rows, options } = partsOf(model, shown, area);
  const top = Math.min(model.inbox?.top ?? 0, Math.max(0, scrolled.length - rows));
  const body = withMarks(model, scrolled.slice(top, top + rows), {
    above: top,
    below: Math.max(0, scrolled.length - top - rows),
    columns: area.columns,
  });
  const isOver = unchangedRequest(model, shown) === null;
  const asking = [...body, ...options];
  const lines = [...head, ...(isOver ? asking.map(dimmed) : asking)];
  return [...lines, ...screenLines(model, shown, { ...area, rows: area.rows - lines.length })];
}

function emptyText(model: Model): string {
  if (model.link.kind === 'starting') return 'Waiting for the daemon.';
  return openRequests(model).length > 0
    ? 'Nothing more is asked. What you answered or put off is in the list.'
    : 'Nothing is asked.';
}

interface ShownParts {
  readonly head: readonly SpanLine[];
  readonly scrolled: readonly SpanLine[];
  /** How many of those are visible. */
  readonly rows: number;
  /** Below them, always visible; empty where they are scrolled too. */
  readonly options: readonly SpanLine[];
}

/** A long question scrolls above its options; where those take too much room, with them. */
function partsOf(model: Model, shown: ShownRequest, area: Area): ShownParts {
  const view = modelView(model, area.columns);
  const head = headLines(model, shown, area);
  const question = questionLines(view, shown.request, shown.pane);
  const known = optionLines(view, shown.request);
  const options = [[], ...(known.length > 0 ? known : [[span(wayText(shown.request), DIM)]])];
  const room = Math.max(0, area.rows - head.length);
  const isWhole = question.length + options.length <= room;
  if (!isWhole && options.length * 2 > room) {
    const scrolled = [...question, ...options];
    return { head, scrolled, rows: Math.min(scrolled.length, room), options: [] };
  }
  const rows = Math.min(question.length, room - options.length);
  return { head, scrolled: question, rows, options };
}

/** How it is answered without known options. */
function wayText({ kind, takes_text: takesText }: PaneRequest): string {
  if (kind === 'approval') {
    return ' Its options are not known: a approves, d denies. Enter shows the pane.';
  }
  const words = takesText ? 's takes your answer' : 'It is answered in its pane';
  return ` ${words}. Enter shows the pane.`;
}

function headLines(model: Model, shown: ShownRequest, area: Area): readonly SpanLine[] {
  const view = modelView(model, area.columns);
  const { pane, request } = shown;
  const rule = view.unicode ? '─' : '-';
  const title: SpanLine = [
    span(`${rule.repeat(2)} `, DIM),
    span(sanitise(view, `${pane.agent ?? '-'} ${placeText(shown)} `), BOLD),
    span(`${request.kind} for ${ageOf(view, request.since)}`, { foreground: OWN.yellow }),
    span(` ${rule.repeat(area.columns)}`, DIM),
  ];
  const facts = [pane.alias ?? pane.title, pathText(pane, model.home), pane.git_branch ?? ''];
  const about = facts.filter((fact) => fact !== '').join(view.unicode ? ' · ' : ' - ');
  const aboutLine = cutLine([span(` ${sanitise(view, about)}`, DIM)], area.columns, cutMark(view));
  return [title, aboutLine, ...noteLines(model, shown)];
}

/** Why no key answers it now. */
function noteLines(model: Model, shown: ShownRequest): readonly SpanLine[] {
  const note = (text: string): readonly SpanLine[] => [[span(` ${text}`, NEEDS)]];
  if (isAnswered(model, shown)) return note('It is being answered.');
  if (unchangedRequest(model, shown) !== null) return [];
  const isThere = openRequests(model).some((each) => isThatRequest(each, shown));
  if (isThere) return note('It has changed meanwhile: any answer shows what is asked by now.');
  return note('It is no longer asked. n shows the next one.');
}

function withMarks(
  { look }: Model,
  lines: readonly SpanLine[],
  { above, below, columns }: { above: number; below: number; columns: number },
): readonly SpanLine[] {
  const [up, down] = look.unicode ? ['↑', '↓'] : ['^', 'v'];
  const marked = (line: SpanLine, text: string): SpanLine => [
    ...fitLine(line, Math.max(0, columns - text.length - 2), ''),
    span(` ${text} `, { foreground: OWN.cyan, bold: true }),
  ];
  return lines.map((line, index) => {
    if (index === lines.length - 1 && below > 0) return marked(line, `${down}${below}`);
    return index === 0 && above > 0 ? marked(line, `${up}${above}`) : line;
  });
}

/** The screen of the pane in what is left of the page: a diff is there. */
function screenLines(model: Model, { pane }: ShownRequest, area: Area): readonly SpanLine[] {
  const room = area.rows - 2;
  if (room < SCREEN_ROWS_MIN) return [];
  const rule = model.look.unicode ? '─' : '-';
  const title = `${rule.repeat(2)} its screen ${rule.repeat(area.columns)}`;
  const body = screenBody(model, pane, room).map((line) => [span(' '), ...line]);
  return [[], [span(title, DIM)], ...body];
}

function shownParts(model: Model): ShownParts | null {
  const shown = model.inbox?.shown ?? null;
  return shown && partsOf(model, shown, layoutInbox(model).shown);
}

/** How far what is asked can be scrolled. */
export function questionTopMax(model: Model): number {
  const parts = shownParts(model);
  return parts === null ? 0 : Math.max(0, parts.scrolled.length - parts.rows);
}

/** Whether every option is on the screen with its number. */
export function areOptionsVisible(model: Model): boolean {
  const parts = shownParts(model);
  return parts !== null && parts.options.length > 0;
}
