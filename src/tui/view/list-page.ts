// The list: who needs a person on top with their questions, then pinned panes, then groups. Pure.

import { paneState } from '../../render/listings.ts';
import { typedNames } from '../../render/typed-names.ts';
import { cutMark, markOf, sanitise, type View } from '../../render/view.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Model } from '../model.ts';
import { listSections, type Section, stateCounts } from '../rows/sections.ts';
import { numberedRows } from '../rows/selection.ts';
import { GUTTER, layoutColumns, MARK } from './columns.ts';
import { type Area, modelView } from './layout.ts';
import { type ListEntry, listEntries, stopKey, visibleTop } from './list-entries.ts';
import { rowLine } from './row-line.ts';
import {
  BOLD,
  cutLine,
  DIM,
  dimmed,
  fitLine,
  inkStyle,
  lineWidth,
  OWN,
  type Span,
  type SpanLine,
  type SpanStyle,
  span,
} from './spans.ts';

const ASKING: SpanStyle = { foreground: OWN.yellow };
const NEEDS: SpanStyle = { foreground: OWN.yellow, bold: true };

/** Why the list is empty. */
function emptyText(model: Model): string {
  if (model.link.kind === 'starting') return 'Waiting for the daemon.';
  const isThere = [...model.panes.values()].some(({ presence }) => presence !== 'missing');
  if (isThere) return 'No pane matches the filter. Escape clears it.';
  return 'No tmux panes found. Panes appear here as soon as tmux has some.';
}

function headingLine(model: Model, section: Section, area: Area): SpanLine {
  const view = modelView(model, area.columns);
  const { kind, isCollapsed, rows } = section;
  const [open, closed] = view.unicode ? ['▾', '+'] : ['-', '+'];
  const fold = kind === 'needs' ? '' : `${isCollapsed ? closed : open} `;
  const counts = stateCounts(section).flatMap(([state, count]) => {
    const { mark, ink } = markOf(view, state);
    return [span(' '), span(`${count}${mark}`, inkStyle(ink))];
  });
  const line = [
    span(fold, DIM),
    span(sanitise(view, section.title), kind === 'needs' ? NEEDS : BOLD),
    span(' '),
    ...(kind === 'needs' ? [span(` ${rows.length}`, NEEDS)] : counts),
    ...(isCollapsed ? [span(`  ${rows.length} hidden`, DIM)] : []),
  ];
  const fitted = fitLine(line, area.columns, cutMark(view));
  const isSelected = isCollapsed && section.key === model.selected;
  return isSelected ? fitted.map(({ text }) => span(text, { inverse: true })) : fitted;
}

function questionLine(view: View, text: string, area: Area): SpanLine {
  const indent = ' '.repeat(GUTTER + MARK + 1);
  return fitLine([span(indent), span(sanitise(view, text), ASKING)], area.columns, cutMark(view));
}

/** How to draw each entry: columns and digits are computed once for all lines. */
function entryPainter(model: Model, area: Area): (entry: ListEntry) => SpanLine {
  const view = modelView(model, area.columns);
  const panes = listSections(model).flatMap(({ rows }) => rows.map(({ pane }) => pane));
  const { settings, home } = model;
  const present = [...model.panes.values()].filter(({ presence }) => presence !== 'missing');
  const typedName = typedNames([...present, ...panes]);
  const layout = layoutColumns({ view, panes, typedName, columns: settings.columns, home });
  const digits = new Map(numberedRows(model).map(({ key }, index) => [key, index + 1]));
  return (entry) => {
    if (entry.kind === 'heading') return headingLine(model, entry.section, area);
    if (entry.kind === 'question') return questionLine(view, entry.text, area);
    const { row, hasQuestion } = entry;
    return rowLine(model, row, {
      layout,
      columns: area.columns,
      digit: digits.get(row.key) ?? null,
      isSelected: row.key === model.selected,
      hasQuestion,
    });
  };
}

/** A line with a mark at its right end, over whatever is there. */
function withMark(line: SpanLine, mark: string): SpanLine {
  const text = ` ${mark} `;
  const room = lineWidth(line) - text.length;
  return [...cutLine(line, room, ''), span(text, { foreground: OWN.cyan, bold: true })];
}

/** The lines with marks that say how many rows are above and below. */
function withScrollMarks(
  model: Model,
  lines: readonly SpanLine[],
  entries: readonly ListEntry[],
  top: number,
): readonly SpanLine[] {
  const count = (part: readonly ListEntry[]): number =>
    part.filter((entry) => entry.kind !== 'question' && stopKey(entry) !== null).length;
  const above = count(entries.slice(0, top));
  const below = count(entries.slice(top + lines.length));
  const [up, down] = model.look.unicode ? ['↑', '↓'] : ['^', 'v'];
  return lines.map((line, index) => {
    if (index === 0 && above > 0) return withMark(line, `${up}${above}`);
    if (index === lines.length - 1 && below > 0) return withMark(line, `${down}${below}`);
    return line;
  });
}

/** The lines of the list; they fill the area exactly. */
export function listLines(model: Model, area: Area): readonly SpanLine[] {
  const entries = listEntries(model);
  const view = modelView(model, area.columns);
  const blank = fitLine([], area.columns, '');
  if (entries.length === 0) {
    const text = fitLine([span(` ${emptyText(model)}`, DIM)], area.columns, cutMark(view));
    const rest = Array.from({ length: Math.max(0, area.rows - 2) }, () => blank);
    return [blank, text, ...rest].slice(0, area.rows);
  }
  const top = visibleTop(model, entries);
  const drawn = entries.slice(top, top + area.rows).map(entryPainter(model, area));
  const lines = withScrollMarks(model, drawn, entries, top);
  const blanks = Array.from({ length: Math.max(0, area.rows - lines.length) }, () => blank);
  return [...(model.link.kind === 'lost' ? lines.map(dimmed) : lines), ...blanks];
}

/** `! waiting_approval` of a pane, for other pages. */
export function statePieces(view: View, pane: PaneItem): readonly Span[] {
  const { text, ink } = paneState(view, pane);
  return [span(text.trim(), inkStyle(ink))];
}
